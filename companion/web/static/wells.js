// Wells over the board that spheres are moved between: by dragging, by two taps, or by the keyboard alone.

import { Carried } from "./carried.js";
import { FILES, SPHERE_WORDS, WELLS } from "./position.js";
import { html } from "./svg.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
export const DRAG_PX = 8; // less is a tap of an unsteady finger

export class WellGrid {
  /** `onMove(from, to)`: to is null beside the board. `onTap(well)`: an empty well while nothing is chosen. `onPick(well)`: null for none. */
  constructor(grid, { onMove, onTap, onPick }) {
    Object.assign(this, { grid, onMove, onTap, onPick });
    this.picked = null;
    this.drag = null;
    this.carried = new Carried();
    this.spheres = new Map();
    this.wells = new Map(WELLS.map((well) => [well, html("button", { type: "button", "data-well": well, tabindex: well === "d1" ? 0 : -1, "aria-pressed": "false" })]));
    for (let row = 0; row < WELLS.length; row += FILES.length) {
      const cells = WELLS.slice(row, row + FILES.length).map((well) => html("div", { role: "gridcell" }, this.wells.get(well)));
      grid.append(html("div", { role: "row" }, ...cells));
    }
    grid.addEventListener("click", ({ target }) => target.dataset.well && this.#choose(target.dataset.well));
    grid.addEventListener("keydown", (event) => this.#key(event));
    grid.addEventListener("focusin", ({ target }) => this.#rove(target));
    grid.addEventListener("pointerdown", (event) => this.#down(event));
    grid.addEventListener("pointermove", (event) => this.#dragged(event));
    grid.addEventListener("pointerup", (event) => this.#up(event));
    grid.addEventListener("pointercancel", () => this.#endDrag());
    this.show(this.spheres);
  }

  /** Names every well after what stands in it. */
  show(spheres) {
    this.spheres = spheres;
    if (this.picked && !spheres.has(this.picked)) this.leave();
    for (const [well, button] of this.wells) {
      const stands = SPHERE_WORDS[spheres.get(well)];
      const label = `${well}, ${stands ? `${stands} sphere` : "empty"}`;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
    }
  }

  /** Nothing is chosen any more. */
  leave() {
    this.#pick(null);
  }

  #pick(well) {
    if (this.picked) this.wells.get(this.picked).setAttribute("aria-pressed", "false");
    if (well) this.wells.get(well).setAttribute("aria-pressed", "true");
    this.picked = well;
    this.onPick(well);
  }

  #choose(well) {
    if (this.justDragged) return; // the click that ends a drag
    if (this.picked === well) this.leave();
    else if (this.picked) {
      const from = this.picked;
      this.#pick(null);
      this.onMove(from, well);
    } else if (this.spheres.has(well)) this.#pick(well);
    else this.onTap(well);
  }

  #rove(target) {
    for (const button of this.wells.values()) button.tabIndex = button === target ? 0 : -1;
  }

  #key(event) {
    if (event.key === "Escape" && this.picked) this.leave();
    const well = event.target.dataset.well;
    if ((event.key === "Delete" || event.key === "Backspace") && well && this.spheres.has(well)) {
      event.preventDefault();
      this.#pick(null);
      this.onMove(well, null);
    }
    const step = STEPS[event.key];
    if (!step || !well) return;
    event.preventDefault();
    const at = WELLS.indexOf(well);
    const [file, row] = [(at % FILES.length) + step[0], Math.floor(at / FILES.length) + step[1]];
    if (file >= 0 && file < FILES.length && row >= 0) this.wells.get(WELLS[row * FILES.length + file])?.focus();
  }

  #down(event) {
    this.justDragged = false;
    const from = event.target.dataset?.well;
    if (!from || !this.spheres.has(from) || event.button > 0) return;
    this.drag = { from, x: event.clientX, y: event.clientY, on: false };
    event.target.setPointerCapture(event.pointerId);
  }

  #dragged(event) {
    const { drag } = this;
    if (!drag) return;
    if (!drag.on && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < DRAG_PX) return;
    if (!drag.on) {
      drag.on = true;
      if (this.picked) this.#pick(null);
      this.wells.get(drag.from).classList.add("dragging");
    }
    this.carried.show(this.spheres.get(drag.from), event);
    this.point(event);
  }

  /** Marks the well under a pointer that carries a sphere, also one that comes from beside the board; gives it. */
  point(event) {
    const over = event && this.wellAt(event);
    if (over !== this.over) {
      this.wells.get(this.over)?.classList.remove("target");
      this.wells.get(over)?.classList.add("target");
      this.over = over;
    }
    return over;
  }

  #up(event) {
    const { drag } = this;
    this.#endDrag();
    if (!drag?.on) return;
    this.justDragged = true;
    const to = this.wellAt(event);
    if (to !== drag.from) this.onMove(drag.from, to);
    setTimeout(() => (this.justDragged = false));
  }

  #endDrag() {
    if (!this.drag) return;
    this.wells.get(this.drag.from).classList.remove("dragging");
    this.point(null);
    this.carried.end();
    this.drag = null;
  }

  /** The well under the pointer, null beside the board. */
  wellAt({ clientX, clientY }) {
    const box = this.grid.getBoundingClientRect();
    const file = Math.floor(((clientX - box.left) / box.width) * FILES.length);
    const row = Math.floor(((clientY - box.top) / box.height) * (WELLS.length / FILES.length));
    if (file < 0 || row < 0 || file >= FILES.length) return null;
    return WELLS[row * FILES.length + file] ?? null;
  }
}
