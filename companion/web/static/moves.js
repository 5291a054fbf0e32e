// The list of moves, two columns by turn, the player who began on the left.

import { html, say } from "./svg.js";
import { sideWord } from "./words.js";

export class Moves {
  constructor(body, scroller, heads) {
    this.body = body;
    this.scroller = scroller;
    this.heads = heads;
    this.shown = "";
  }

  /** Draws the moves of a game, null for none, and keeps the newest in sight. */
  show(game) {
    const moves = game?.moves ?? [];
    const first = moves[0]?.player ?? game?.side ?? "white";
    const key = JSON.stringify([first, moves.map(({ player, move }) => [player, move])]);
    if (key === this.shown) return;
    this.shown = key;
    say(this.heads[0], sideWord(first));
    say(this.heads[1], sideWord(first === "white" ? "black" : "white"));
    const rows = [];
    for (const { player, move } of moves) {
      if (player === first || rows.length === 0) rows.push(["", ""]);
      rows.at(-1)[player === first ? 0 : 1] = move;
    }
    this.body.replaceChildren(...rows.map(([a, b], i) =>
      html("tr", {}, html("th", { scope: "row", class: "ply" }, String(i + 1)), html("td", {}, a), html("td", {}, b))));
    const cells = [...this.body.querySelectorAll("td")].filter((cell) => cell.textContent);
    cells.at(-1)?.setAttribute("aria-current", "true");
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }
}
