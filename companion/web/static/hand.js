// The demo's hand: choose a sphere and a well by pointer or keyboard, lean on the board, knock the table. Its line says
// what was asked for, never what happened: that is for the referee to say.

import { ask } from "./asking.js";
import { FILES, SPHERE_WORDS, WELLS } from "./position.js";
import { html, say } from "./svg.js";
import { sideWord } from "./words.js";

const HINT = "Simulated table: tap a sphere, then a well, to move it by hand.";
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ASKED = {
  lean: "You asked for a hand to lean on the board.",
  bump: "You asked for a knock on the table.",
  let_play: "You asked them to play on.",
};
const SHOWN_MS = 4000; // long enough to read a line twice

export class Hand {
  constructor(grid, line, buttons, letPlay) {
    this.line = line;
    this.letPlay = letPlay;
    this.player = null; // the side that the person plays
    this.picked = null;
    this.spheres = new Map();
    this.wells = new Map(WELLS.map((well) => [well, html("button", { type: "button", "data-well": well, tabindex: well === "d1" ? 0 : -1 })]));
    for (let row = 0; row < WELLS.length; row += FILES.length) {
      const cells = WELLS.slice(row, row + FILES.length).map((well) => html("div", { role: "gridcell" }, this.wells.get(well)));
      grid.append(html("div", { role: "row" }, ...cells));
    }
    grid.addEventListener("click", ({ target }) => target.dataset.well && this.#choose(target.dataset.well));
    grid.addEventListener("keydown", (event) => this.#key(event));
    grid.addEventListener("focusin", ({ target }) => this.#rove(target));
    for (const button of buttons) button.addEventListener("click", () => this.#do({ do: button.dataset.do }, ASKED[button.dataset.do]));
    this.show(this.spheres);
  }

  /** Names every well after what stands in it. */
  show(spheres) {
    this.spheres = spheres;
    if (this.picked && !spheres.has(this.picked)) this.#leave();
    for (const [well, button] of this.wells) {
      const label = `${well}, ${SPHERE_WORDS[spheres.get(well)] ? `${SPHERE_WORDS[spheres.get(well)]} sphere` : "empty"}`;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
    }
  }

  /** Shows which side the person plays, null for none. */
  showPlayer(side) {
    if (side === this.player) return;
    this.player = side;
    if (!side && document.activeElement === this.letPlay) [...this.wells.values()].find(({ tabIndex }) => tabIndex === 0)?.focus();
    this.letPlay.classList.toggle("absent", !side);
    if (!this.timer) this.#rest("polite");
  }

  /** Takes away what the line said in passing: something newer is known. */
  settle() {
    if (this.timer) this.#rest();
  }

  /** The line as it is when nothing is to be said in passing. */
  #rest(live = "off") {
    clearTimeout(this.timer);
    this.timer = null;
    this.line.setAttribute("aria-live", live);
    if (this.picked) say(this.line, `The hand is at ${this.picked}: now choose a well, or ${this.picked} again to leave it.`);
    else say(this.line, this.player ? `You play ${sideWord(this.player)}. Tap a sphere, then a well.` : HINT);
  }

  #inPassing(text) {
    this.line.setAttribute("aria-live", "polite");
    say(this.line, text);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#rest(), SHOWN_MS);
  }

  #leave() {
    this.#pick(null);
    this.#rest();
  }

  #rove(target) {
    for (const button of this.wells.values()) button.tabIndex = button === target ? 0 : -1;
  }

  #key(event) {
    if (event.key === "Escape" && this.picked) this.#leave();
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const at = WELLS.indexOf(event.target.dataset.well);
    const [file, row] = [(at % FILES.length) + step[0], Math.floor(at / FILES.length) + step[1]];
    if (file >= 0 && file < FILES.length && row >= 0) this.wells.get(WELLS[row * FILES.length + file])?.focus();
  }

  #pick(well) {
    if (this.picked) this.wells.get(this.picked).setAttribute("aria-pressed", "false");
    if (well) this.wells.get(well).setAttribute("aria-pressed", "true");
    this.picked = well;
  }

  #choose(well) {
    if (this.picked === well) {
      this.#leave();
    } else if (this.picked) {
      const from = this.picked;
      this.#pick(null);
      this.#do({ do: "hand_move", from, to: well }, `You asked for ${from}-${well}.`);
    } else if (this.spheres.has(well)) {
      this.#pick(well);
      this.#rest("polite");
    } else {
      this.#inPassing(`No sphere stands on ${well}: choose a sphere first.`);
    }
  }

  async #do(command, asked) {
    this.#inPassing((await ask("/api/v1/demo", command)) ?? asked);
  }
}
