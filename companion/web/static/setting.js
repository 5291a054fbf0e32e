// Setting the position: what stands where, who is to move, and which plain spheres may not move now.

import { Carried } from "./carried.js";
import { FILES, SPHERE_WORDS, WELLS, spheresOf } from "./position.js";
import { html, sphere, svg } from "./svg.js";
import { DRAG_PX } from "./wells.js";

const ALL = { w: 6, W: 1, b: 6, B: 1 };
const LETTERS = { empty: "", white: "w", black: "b", white_coloured: "W", black_coloured: "B" };

/** The ranks of a position text for a Map from well to letter. */
export function ranksOf(spheres) {
  const rows = [];
  for (let row = 0; row < WELLS.length; row += FILES.length) {
    const text = WELLS.slice(row, row + FILES.length).map((well) => spheres.get(well) ?? ".").join("");
    rows.push(text.replace(/\.+/g, (run) => String(run.length)));
  }
  return rows.join("/");
}

/** What stands there as the camera sees it, null where it does not see all of the board. */
export function seenSpheres(reading) {
  const words = Object.entries(reading ?? {});
  if (words.length < WELLS.length || words.some(([, word]) => !(word in LETTERS))) return null;
  return new Map(words.map(([well, word]) => [well, LETTERS[word]]).filter(([, letter]) => letter));
}

/** The spheres that are not on the board. */
export function besideBoard(spheres) {
  const left = { ...ALL };
  for (const letter of spheres.values()) left[letter] -= 1;
  return Object.entries(left).flatMap(([letter, n]) => Array(Math.max(0, n)).fill(letter));
}

export class Setting {
  /** `onChange(spheres)` whenever it is to be drawn anew; `tell(text)` tells what to do; `wells` is the grid they stand in. */
  constructor({ tray, side, white, black }, onChange, tell, wells) {
    Object.assign(this, { tray, side, white, black, onChange, tell, wells });
    this.carried = new Carried();
    this.spheres = new Map();
    this.held = null; // a letter chosen in the tray
  }

  /** Begins from a position text. */
  begin(text) {
    const [, side = "w", white = "-", black = "-"] = String(text ?? "").split(/\s+/);
    this.spheres = spheresOf(text);
    this.side.value = side === "b" ? "b" : "w";
    this.held = null;
    this.#draw([white, black]);
  }

  /** Puts there what the camera sees. */
  take(spheres) {
    this.spheres = new Map(spheres);
    this.#draw();
  }

  move(from, to) {
    const letter = this.spheres.get(from);
    if (!letter) return;
    this.spheres.delete(from);
    if (to) this.spheres.set(to, letter);
    this.#draw();
    this.tell(to ? `Moved ${from} to ${to}.` : `Took the sphere off ${from}.`);
  }

  /** A tap on an empty well: the sphere chosen in the tray goes there. */
  tap(well) {
    if (!this.held) {
      this.tell("Choose a sphere first: on the board, or beside it.");
      return;
    }
    this.spheres.set(well, this.held);
    const more = besideBoard(this.spheres).includes(this.held);
    this.tell(`Put on ${well}.`);
    if (!more) this.held = null;
    this.#draw();
  }

  /** The position text as it is set. */
  text() {
    return `${ranksOf(this.spheres)} ${this.side.value} ${this.white.value} ${this.black.value}`;
  }

  #draw(rest = [this.white.value, this.black.value]) {
    for (const [select, letter, well] of [[this.white, "w", rest[0]], [this.black, "b", rest[1]]]) {
      const wells = WELLS.filter((at) => this.spheres.get(at) === letter);
      select.replaceChildren(html("option", { value: "-" }, "none"), ...wells.map((at) => html("option", { value: at }, at)));
      select.value = wells.includes(well) ? well : "-";
    }
    const beside = besideBoard(this.spheres);
    if (!beside.includes(this.held)) this.held = null;
    this.tray.replaceChildren(...(beside.length ? beside.map((letter) => this.#button(letter)) : [html("p", {}, "All spheres are on the board. Drag one here to take it off.")]));
    this.onChange(this.spheres);
  }

  /** A sphere is dragged from beside the board into an empty well. */
  #draggable(button, letter) {
    let from = null;
    const end = () => {
      from = null;
      this.carried.end();
      this.wells.point(null);
    };
    button.addEventListener("pointerdown", (event) => {
      this.dropped = false;
      if (event.button > 0) return;
      from = event;
      button.setPointerCapture(event.pointerId);
    });
    button.addEventListener("pointermove", (event) => {
      if (!from || (!this.carried.element && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) < DRAG_PX)) return;
      this.carried.show(letter, event);
      this.wells.point(event);
    });
    button.addEventListener("pointercancel", end);
    button.addEventListener("pointerup", (event) => {
      const dragged = this.carried.element !== null;
      end();
      if (!dragged) return;
      this.dropped = true;
      setTimeout(() => (this.dropped = false));
      const well = this.wells.wellAt(event);
      if (!well) return;
      if (this.spheres.has(well)) return this.tell(`A sphere stands on ${well} already.`);
      this.held = letter;
      this.tap(well);
      this.held = null;
      this.#draw();
    });
  }

  #button(letter) {
    const drawing = svg("svg", { viewBox: "-40 -40 80 80", "aria-hidden": "true" }, sphere(letter, 34));
    const button = html("button", { type: "button", "aria-pressed": String(this.held === letter), "aria-label": `${SPHERE_WORDS[letter]} sphere beside the board` }, drawing);
    this.#draggable(button, letter);
    button.addEventListener("click", () => {
      if (this.dropped) return; // the click that ends a drag
      this.held = this.held === letter ? null : letter;
      for (const other of this.tray.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button && this.held !== null));
      this.tell(this.held ? "Now choose an empty well." : "");
    });
    return button;
  }
}
