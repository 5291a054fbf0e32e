// Crash risks on the board: a number on every sphere that can be lifted and on every well that the one in hand can go to.

import { centre } from "./board.js";
import { levelOf, percent } from "./risk.js";
import { svg } from "./svg.js";

const BELOW = 27; // from the middle of a well to the middle of its number

/** A shape of its own for each level, so that nobody has to tell them by colour: pill, box with a bar, ring and cross. */
function mark({ well, risk }, warnAbove) {
  const { x, y } = centre(well);
  const level = levelOf(risk, warnAbove);
  const text = level === "danger" ? `×${percent(risk)}` : level === "careful" ? `!${percent(risk)}` : percent(risk);
  const width = 20 + 15 * text.length;
  const group = svg("g", { class: `risk risk-${level}`, "data-well": well });
  if (level === "danger") {
    group.append(svg("circle", { class: "risk-ring-casing", cx: x, cy: y, r: 43 }), svg("circle", { class: "risk-ring", cx: x, cy: y, r: 43 }));
  }
  const tag = svg("g", { class: "risk-tag" },
    svg("rect", { class: "risk-ground", x: -width / 2, y: -17, width, height: 34, rx: level === "safe" ? 17 : 5 }),
    svg("text", { class: "risk-number", y: 10 }, text));
  group.append(svg("g", { transform: `translate(${x} ${y + BELOW})` }, tag));
  return group;
}

export class RiskMarks {
  constructor(board) {
    this.layer = svg("g", { class: "risks", "aria-hidden": "true" });
    this.shown = "";
    board.append(this.layer);
  }

  /** Draws the risks of the live values, null for none. */
  show(risks) {
    const wells = risks?.wells ?? [];
    const key = JSON.stringify(wells.map(({ well, risk }) => [well, percent(risk), levelOf(risk, risks.warn_above)]));
    if (key === this.shown) return;
    this.shown = key;
    this.layer.replaceChildren(...[...wells].reverse().map((well) => mark(well, risks.warn_above)));
  }
}
