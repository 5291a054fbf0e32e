// The board: a grid of buttons that the arrow keys walk, and the squares drawn over it.

import { html, svg } from "/static/svg.js";
import { name, place } from "./cells.js";
import { picture, words } from "./tile.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const UNIT = 100;

export class Board {
  /** `onCell(cell, byKey)` is called when a cell is pressed, `onAway(cell)` when its tile is to be taken back. */
  constructor(grid, overlay, fit, { onCell, onAway }) {
    Object.assign(this, { grid, overlay, fit, onCell, onAway });
    this.cells = new Map();
    this.size = "";
    grid.addEventListener("keydown", (event) => this.#key(event));
    grid.addEventListener("click", (event) => {
      const cell = event.target.closest("[data-cell]")?.dataset.cell;
      if (cell) this.onCell(cell, event.detail === 0);
    });
  }

  /**
   * Shows what lies where: `board` of old, `laid` this turn, `marked` cells that break a rule, `fresh` ones just played,
   * `signs` what else is to be said of a cell: unsure or hidden. */
  show({ columns, rows, board, laid, marked = [], fresh = [], chosen = null, signs = {} }) {
    this.#build(columns, rows);
    for (const [cell, button] of this.cells) {
      const tile = laid[cell] ?? board[cell] ?? null;
      if (button.dataset.tile !== (tile ?? "")) {
        button.dataset.tile = tile ?? "";
        button.replaceChildren(...(tile ? [picture(tile)] : []));
      }
      button.classList.toggle("laid", cell in laid);
      button.classList.toggle("fresh", fresh.includes(cell));
      button.classList.toggle("marked", marked.includes(cell));
      button.setAttribute("aria-pressed", String(chosen === cell));
      button.classList.toggle("unsure", signs[cell] === "unsure");
      button.classList.toggle("hidden", signs[cell] === "hidden");
      const sign = signs[cell] ? `, ${signs[cell] === "unsure" ? "not read with certainty" : "hidden"}` : "";
      const how = cell in laid ? ", laid this turn" : "";
      const wrong = marked.includes(cell) ? ", breaks a rule" : "";
      button.setAttribute("aria-label", `${cell}, ${tile ? words(tile) : signs[cell] ? "something" : "empty"}${how}${sign}${wrong}`);
    }
  }

  /** Draws new squares over the board, each with its score; the one at `strong` stands out. */
  outline(squares, strong = null) {
    this.overlay.replaceChildren(
      ...squares.map(({ cells, colour, number }, i) => {
        const [column, row] = place(cells[0]);
        const [x, y] = [column * UNIT, (this.rows - row - 2) * UNIT];
        return svg("g", { class: `square${strong === i ? " strong" : ""}`, transform: `translate(${x} ${y})` },
          svg("rect", { class: "square-casing", x: 2, y: 2, width: 196, height: 196, rx: 24 }),
          svg("rect", { class: "square-line", x: 2, y: 2, width: 196, height: 196, rx: 24 }),
          svg("rect", { class: "square-badge", x: 56, y: 74, width: 88, height: 52, rx: 26 }),
          svg("text", { class: "square-score", x: 100, y: 113 }, `+${colour + number}`));
      }),
    );
  }

  /** Marks the cell under a tile that is being dragged; null for none. */
  aim(cell) {
    if (this.aimed) this.aimed.classList.remove("aimed");
    this.aimed = cell ? this.cells.get(cell) : null;
    this.aimed?.classList.add("aimed");
  }

  /** Puts the keyboard where it last was on the board. */
  focus() {
    this.cells.get(this.current)?.focus();
  }

  #build(columns, rows) {
    if (this.size === `${columns}x${rows}`) return;
    Object.assign(this, { columns, rows, size: `${columns}x${rows}` });
    this.fit.style.setProperty("--columns", columns);
    this.fit.style.setProperty("--rows", rows);
    this.overlay.setAttribute("viewBox", `0 0 ${columns * UNIT} ${rows * UNIT}`);
    this.cells.clear();
    const letters = html("div", { class: "letters", "aria-hidden": "true" },
      ...Array.from({ length: columns }, (_, i) => html("span", {}, name(i, 0)[0])));
    const lines = [];
    for (let row = rows - 1; row >= 0; row--) {
      const line = html("div", { role: "row" });
      line.append(html("span", { class: "row-number", "aria-hidden": "true" }, String(row + 1)));
      for (let column = 0; column < columns; column++) {
        const cell = name(column, row);
        const button = html("button", { type: "button", "data-cell": cell, tabindex: -1 });
        this.cells.set(cell, button);
        line.append(html("div", { role: "gridcell" }, button));
      }
      lines.push(line);
    }
    this.grid.replaceChildren(...lines);
    this.fit.querySelector(".letters")?.remove();
    this.fit.append(letters);
    this.#settle(name(Math.floor(columns / 2), Math.floor(rows / 2)));
  }

  #settle(cell) {
    this.cells.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = cell;
    this.cells.get(cell).setAttribute("tabindex", "0");
  }

  #key(event) {
    const from = event.target.closest?.("[data-cell]")?.dataset.cell;
    if (!from) return;
    if (event.key === "Delete" || event.key === "Backspace") this.onAway(from);
    else {
      const to = this.#next(event.key, ...place(from));
      if (!to) return;
      this.#settle(to);
      this.focus();
    }
    event.preventDefault();
  }

  #next(key, column, row) {
    if (key === "Home") return name(0, row);
    if (key === "End") return name(this.columns - 1, row);
    const step = STEPS[key];
    if (!step) return null;
    const across = Math.min(Math.max(column + step[0], 0), this.columns - 1);
    return name(across, Math.min(Math.max(row + step[1], 0), this.rows - 1));
  }
}
