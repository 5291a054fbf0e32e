// The list of moves, two columns by turn, the player who began on the left.

import { turnsOf } from "./position.js";
import { html, say } from "./svg.js";
import { sideWord } from "./words.js";

export class Moves {
  constructor(body, scroller, heads) {
    this.body = body;
    this.scroller = scroller;
    this.heads = heads;
    this.shown = "";
    new ResizeObserver(() => this.#toNewest()).observe(scroller); // its neighbours may grow and leave it less room
  }

  /** Draws the moves of a game, null for none, and keeps the newest in sight. */
  show(game) {
    const { first, turns } = turnsOf(game);
    const key = JSON.stringify([first, turns]);
    if (key === this.shown) return;
    this.shown = key;
    say(this.heads[0], sideWord(first));
    say(this.heads[1], sideWord(first === "white" ? "black" : "white"));
    this.body.replaceChildren(...turns.map(([a, b], i) =>
      html("tr", {}, html("th", { scope: "row", class: "ply" }, String(i + 1)), html("td", {}, a), html("td", {}, b))));
    const cells = [...this.body.querySelectorAll("td")].filter((cell) => cell.textContent);
    cells.at(-1)?.setAttribute("aria-current", "true");
    this.#toNewest();
  }

  #toNewest() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }
}
