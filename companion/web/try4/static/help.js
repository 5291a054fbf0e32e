// The worked example of the rules, as pictures drawn with the game's own tiles.

import { html, svg } from "/static/svg.js";
import { place } from "./cells.js";
import { drawing } from "./tile.js";

const COLUMNS = 4;
const ROWS = 3;
const UNIT = 100;
const EXAMPLE = [
  { lays: { a1: "red1" }, squares: [], says: "One tile, anywhere: 0." },
  { lays: { a2: "red2", b1: "red3", b2: "red4" }, squares: ["a1"], says: "Three more complete a square: 4 share a colour, 4; 1 + 2 + 3 + 4 all different, 10. Together 14." },
  { lays: { c1: "red2", c2: "red1" }, squares: ["b1"], says: "Two more complete one beside it, again all different: 4 + 10 = 14." },
  { lays: { a3: "blue1", b3: "blue3", c3: "blue2" }, squares: ["a2", "b2"], says: "Three of another colour complete two squares, each with two of each colour: (2 + 10) + (2 + 10) = 24." },
];

function board(before, lays, squares) {
  const parts = [];
  for (let row = 0; row < ROWS; row++) {
    for (let column = 0; column < COLUMNS; column++) {
      parts.push(svg("rect", { x: column * UNIT + 4, y: (ROWS - 1 - row) * UNIT + 4, width: 92, height: 92, rx: 13, class: "example-cell" }));
    }
  }
  const at = (cell) => {
    const [column, row] = place(cell);
    return `translate(${column * UNIT} ${(ROWS - 1 - row) * UNIT})`;
  };
  for (const [cell, tile] of Object.entries({ ...before, ...lays })) {
    const group = svg("g", { transform: at(cell), class: cell in lays ? "example-new" : "example-old" }, drawing(tile));
    if (cell in lays) group.append(svg("rect", { x: 1, y: 0, width: 98, height: 98, rx: 15, class: "example-mark" }));
    parts.push(group);
  }
  for (const corner of squares) {
    const [column, row] = place(corner);
    const x = column * UNIT + 2;
    const y = (ROWS - 2 - row) * UNIT + 2;
    parts.push(svg("rect", { x, y, width: 196, height: 196, rx: 24, class: "square-casing" }));
    parts.push(svg("rect", { x, y, width: 196, height: 196, rx: 24, class: "square-line" }));
  }
  return svg("svg", { viewBox: `0 0 ${COLUMNS * UNIT} ${ROWS * UNIT}`, "aria-hidden": "true", class: "example-board" }, ...parts);
}

/** Fills an element with the four turns. */
export function showExample(element) {
  let before = {};
  element.replaceChildren(
    ...EXAMPLE.map(({ lays, squares, says }, i) => {
      const figure = html("figure", {}, board(before, lays, squares), html("figcaption", {}, html("strong", {}, `Turn ${i + 1}. `), says));
      before = { ...before, ...lays };
      return figure;
    }));
}
