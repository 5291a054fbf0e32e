// Both loads over time as lines of another colour and another stroke.

import { svg } from "./svg.js";

const [WIDTH, HEIGHT] = [600, 200];
const [LEFT, RIGHT, TOP, BOTTOM] = [54, 590, 26, 172];
const LEAST_SPAN_G = 30; // so that noise alone does not fill the picture

/** Draws `[t, low, high]` points (s, g) into an SVG of 600 by 200; `mark` is a moment to point at. */
export function drawTraces(root, points, mark = null) {
  const known = points.flatMap(([, low, high]) => [low, high]).filter((value) => value !== null);
  if (!known.length) {
    root.replaceChildren(svg("text", { class: "trace-text", x: WIDTH / 2, y: HEIGHT / 2, "text-anchor": "middle" }, "No loads to draw."));
    return;
  }
  const [t0, t1] = [points[0][0], Math.max(points.at(-1)[0], points[0][0] + 1e-3)];
  let [low, high] = [Math.min(...known), Math.max(...known)];
  const more = Math.max(0, LEAST_SPAN_G - (high - low)) / 2;
  [low, high] = [low - more, high + more];
  const x = (t) => LEFT + ((t - t0) / (t1 - t0)) * (RIGHT - LEFT);
  const y = (g) => BOTTOM - ((g - low) / (high - low)) * (BOTTOM - TOP);
  const line = (i) => {
    let d = "";
    let pen = "M";
    for (const point of points) {
      if (point[i] === null) pen = "M";
      else [d, pen] = [`${d}${pen}${x(point[0]).toFixed(1)} ${y(point[i]).toFixed(1)}`, "L"];
    }
    return d;
  };
  const text = (at, words, more = {}) => svg("text", { class: "trace-text", x: at[0], y: at[1], ...more }, words);
  const newest = points.at(-1);
  const grams = (value) => (value === null ? "?" : `${value.toFixed(0)} g`);
  root.setAttribute("aria-label", `Loads over ${(t1 - t0).toFixed(0)} s: low now ${grams(newest[1])}, high now ${grams(newest[2])}`);
  root.replaceChildren(
    svg("rect", { class: "trace-frame", x: LEFT, y: TOP, width: RIGHT - LEFT, height: BOTTOM - TOP }),
    ...(mark === null ? [] : [svg("path", { class: "trace-mark", d: `M${x(Math.min(Math.max(mark, t0), t1)).toFixed(1)} ${TOP}V${BOTTOM}` })]),
    svg("path", { class: "trace trace-low", d: line(1) }), svg("path", { class: "trace trace-high", d: line(2) }),
    text([4, TOP + 12], `${high.toFixed(0)} g`), text([4, BOTTOM], `${low.toFixed(0)} g`),
    text([LEFT, HEIGHT - 8], `${(t1 - t0).toFixed(0)} s ago`), text([RIGHT, HEIGHT - 8], "now", { "text-anchor": "end" }),
    svg("path", { class: "trace trace-low", d: `M${LEFT} 13H${LEFT + 34}` }), text([LEFT + 42, 18], `low ${grams(newest[1])}`),
    svg("path", { class: "trace trace-high", d: `M${LEFT + 200} 13H${LEFT + 234}` }), text([LEFT + 242, 18], `high ${grams(newest[2])}`));
}
