// The demo's hand: choose a sphere and a well by pointer or keyboard, lean on the board, knock the table.

import { FILES, SPHERE_WORDS, WELLS } from "./position.js";
import { html, say } from "./svg.js";

const HINT = "Simulated table: tap a sphere, then a well, to move it by hand.";
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const DONE = { lean: "A hand leans on the board.", bump: "Somebody knocks the table." };

async function ask(command) {
  const answer = await fetch("/api/v1/demo", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Senryaku": "1" },
    body: JSON.stringify(command),
  });
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

export class Hand {
  constructor(grid, line, buttons) {
    this.line = line;
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
    for (const button of buttons) button.addEventListener("click", () => this.#do({ do: button.dataset.do }, DONE[button.dataset.do]));
    this.show(this.spheres);
  }

  /** Names every well after what stands in it. */
  show(spheres) {
    this.spheres = spheres;
    if (this.picked && !spheres.has(this.picked)) this.#pick(null);
    for (const [well, button] of this.wells) {
      const label = `${well}, ${SPHERE_WORDS[spheres.get(well)] ? `${SPHERE_WORDS[spheres.get(well)]} sphere` : "empty"}`;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
    }
  }

  #rove(target) {
    for (const button of this.wells.values()) button.tabIndex = button === target ? 0 : -1;
  }

  #key(event) {
    if (event.key === "Escape" && this.picked) {
      this.#pick(null);
      say(this.line, HINT);
    }
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
      this.#pick(null);
      say(this.line, HINT);
    } else if (this.picked) {
      const from = this.picked;
      this.#pick(null);
      this.#do({ do: "hand_move", from, to: well }, `The hand moves ${from}-${well}.`);
    } else if (this.spheres.has(well)) {
      this.#pick(well);
      say(this.line, `The hand is at ${well}: now choose a well, or ${well} again to leave it.`);
    } else {
      say(this.line, `No sphere stands on ${well}: choose a sphere first.`);
    }
  }

  async #do(command, done) {
    try {
      await ask(command);
      say(this.line, done);
    } catch (error) {
      say(this.line, `Not done: ${error.message}`);
    }
  }
}
