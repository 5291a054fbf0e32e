// The sign beside the last ruling: another shape for each kind, so that it tells without its colour.

import { svg } from "./svg.js";

const stroke = (d) => svg("path", { class: "sign", d });
const SHAPES = {
  none: () => [svg("circle", { class: "sign-ground", cx: 32, cy: 32, r: 28 })],
  start: () => [svg("circle", { class: "sign-ground", cx: 32, cy: 32, r: 28 }), stroke("M26 20L44 32L26 44Z")],
  move: () => [svg("circle", { class: "sign-ground", cx: 32, cy: 32, r: 28 }), stroke("M18 32H45M34 20L46 32L34 44")],
  restored: () => [svg("circle", { class: "sign-ground", cx: 32, cy: 32, r: 28 }), stroke("M18 33L28 43L46 22")],
  illegal: () => [svg("path", { class: "sign-ground", d: "M21 4H43L60 21V43L43 60H21L4 43V21Z" }), stroke("M21 21L43 43M43 21L21 43")],
  held: () => [svg("path", { class: "sign-ground", d: "M32 4L62 58H2Z" }), stroke("M32 24V40M32 48V49")],
  crash: () => [svg("path", { class: "sign-ground", d: "M21 4H43L60 21V43L43 60H21L4 43V21Z" }), stroke("M14 24L50 38M26 50L32 32L38 50Z")],
  game_over: () => [svg("path", { class: "sign-ground", d: "M32 2L40.500 21.500L62 23.500L45.500 37.500L50.500 58.500L32 47.500L13.500 58.500L18.500 37.500L2 23.500L23.500 21.500Z" })],
  correct: () => [svg("circle", { class: "sign-ground", cx: 32, cy: 32, r: 28 }), stroke("M20 44L24 34L40 18L46 24L30 40Z")],
  paused: () => [svg("circle", { class: "sign-ground", cx: 32, cy: 32, r: 28 }), stroke("M24 20V44M40 20V44")],
  question: () => [svg("path", { class: "sign-ground", d: "M32 2L62 32L32 62L2 32Z" }), svg("text", { class: "sign-text", x: 32, y: 44 }, "?")],
};

/** Draws the sign of a ruling's kind. */
export function rulingMark(root, kind) {
  if (root.dataset.kind === kind) return;
  root.dataset.kind = kind;
  root.replaceChildren(...(SHAPES[kind] ?? SHAPES.none)());
}
