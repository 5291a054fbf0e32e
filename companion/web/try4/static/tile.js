// Draws tiles. Every colour has a shape of its own, so that nobody has to tell tiles by colour.

import { svg } from "/static/svg.js";

const DARK = "#1b1408";
const LIGHT = "#ffffff";

/** Fill, ink and shape of each colour name: Okabe and Ito's colours where there is one of that name. */
export const COLOURS = {
  red: { fill: "#d55e00", ink: DARK, shape: "circle" },
  blue: { fill: "#0072b2", ink: LIGHT, shape: "square" },
  green: { fill: "#009e73", ink: DARK, shape: "triangle" },
  yellow: { fill: "#f0e442", ink: DARK, shape: "star" },
  purple: { fill: "#cc79a7", ink: DARK, shape: "cross" },
  orange: { fill: "#e69f00", ink: DARK, shape: "hexagon" },
  turquoise: { fill: "#56b4e9", ink: DARK, shape: "drop" },
  pink: { fill: "#f4b6d2", ink: DARK, shape: "heart" },
  black: { fill: "#2b2b2b", ink: LIGHT, shape: "saltire" },
  white: { fill: "#fdfbf6", ink: DARK, shape: "ring" },
  grey: { fill: "#9a9a9a", ink: DARK, shape: "bar" },
};

const OTHER = { fill: "#d8c7a8", ink: DARK, shape: null };

const SHAPES = {
  circle: "M-13 0a13 13 0 1 0 26 0a13 13 0 1 0 -26 0z",
  square: "M-12 -12h24v24h-24z",
  triangle: "M0 -14l14 25h-28z",
  star: "M0 -15l4.4 9.9 10.6 1-8 7.2 2.4 10.7-9.4-5.6-9.4 5.6 2.4-10.7-8-7.2 10.6-1z",
  cross: "M-4.5 -13h9v8.500h8.500v9h-8.500v8.500h-9v-8.500h-8.500v-9h8.500z",
  hexagon: "M-7 -13h14l7 13-7 13h-14l-7-13z",
  drop: "M0 -15c6 8 10 12 10 18a10 10 0 0 1 -20 0c0-6 4-10 10-18z",
  heart: "M0 13c-9-8-14-12-14-18a7 7 0 0 1 14-3a7 7 0 0 1 14 3c0 6-5 10-14 18z",
  saltire: "M-13 -8l5-5 8 8 8-8 5 5-8 8 8 8-5 5-8-8-8 8-5-5 8-8z",
  ring: "M-13 0a13 13 0 1 0 26 0a13 13 0 1 0 -26 0zM-7 0a7 7 0 1 1 14 0a7 7 0 1 1 -14 0z",
  bar: "M-13 -5h26v10h-26z",
};

/** Colour and number of a tile such as red1. */
export function parts(tile) {
  const at = tile.search(/[0-9]+$/);
  return { colour: tile.slice(0, at), number: Number(tile.slice(at)) };
}

/** A tile in words: red 1. */
export function words(tile) {
  const { colour, number } = parts(tile);
  return `${colour.replaceAll("_", " ")} ${number}`;
}

/** A tile's drawing, 100 by 100 around the middle of its view box. */
export function drawing(tile) {
  const { colour, number } = parts(tile);
  const { fill, ink, shape } = COLOURS[colour] ?? OTHER;
  const mark = shape
    ? svg("path", { d: SHAPES[shape], transform: "translate(24 25)", fill: ink, "fill-rule": "evenodd" })
    : svg("text", { x: 12, y: 34, "font-size": 26, class: "tile-letters", fill: ink }, colour.slice(0, 2));
  return svg("g", { class: "tile" },
    svg("rect", { x: 3, y: 5, width: 94, height: 93, rx: 13, class: "tile-side" }),
    svg("rect", { x: 3, y: 2, width: 94, height: 92, rx: 13, fill, class: "tile-face" }),
    mark,
    svg("text", { x: 57, y: 76, "font-size": number > 9 ? 50 : 66, class: "tile-number", fill: ink }, String(number)));
}

/** A tile as an element of its own. */
export function picture(tile) {
  return svg("svg", { viewBox: "0 0 100 100", class: "tile-picture", "aria-hidden": "true" }, drawing(tile));
}
