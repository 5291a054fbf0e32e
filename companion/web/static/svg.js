// Small helpers to draw with. Text only ever goes in as text, so that no name can become markup.

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children; a child that is a string becomes text. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** An HTML element with attributes and children. */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

/** Sets an element's text, but only when it differs: no needless repaint, no needless announcement. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Like `say`, with every move such as d1-d2 kept on one line. */
export function sayMoves(element, text) {
  if (element.textContent === text) return;
  const parts = text.split(/([a-g][1-6][-x][a-g][1-6])/);
  element.replaceChildren(...parts.map((part, i) => (i % 2 ? html("span", { class: "nowrap" }, part) : part)));
}

/** Marks that come into being with the page: gradients for spheres and wood, shared by all drawings. */
export function gradients() {
  const stops = (...list) => list.map(([offset, cls]) => svg("stop", { offset, class: cls }));
  const ball = (id) =>
    svg("radialGradient", { id: `ball-${id}`, cx: 0.38, cy: 0.32, r: 0.72 },
      ...stops([0, `${id}-light`], [0.45, `${id}-body`], [1, `${id}-shade`]));
  return svg("defs", {},
    ball("w"), ball("b"), ball("W"), ball("B"),
    svg("linearGradient", { id: "wood", x1: 0, y1: 0, x2: 1, y2: 1 }, ...stops([0, "wood-light"], [1, "wood-dark"])),
    svg("radialGradient", { id: "well", cx: 0.5, cy: 0.42, r: 0.6 }, ...stops([0, "well-floor"], [0.72, "well-wall"], [1, "well-lip"])),
    svg("radialGradient", { id: "shadow" }, ...stops([0.55, "shadow-core"], [1, "shadow-edge"])));
}

const RADIUS = 34;

/**
 * A sphere around 0,0. The coloured ones carry a ring and a letter, so that nobody has to tell them by colour.
 * `letter` is w, b, W or B as in a position text.
 */
export function sphere(letter, radius = RADIUS) {
  const group = svg("g", { class: `sphere sphere-${letter}` },
    svg("ellipse", { class: "sphere-shadow", cx: radius * 0.08, cy: radius * 0.2, rx: radius * 1.12, ry: radius * 1.08, fill: "url(#shadow)" }));
  const body = svg("g", { class: "sphere-body" },
    svg("circle", { class: "sphere-ball", r: radius, fill: `url(#ball-${letter})` }));
  if (letter === "W" || letter === "B") {
    body.append(
      svg("circle", { class: `ring ring-${letter}`, r: radius * 0.7, "stroke-width": radius * 0.11 }),
      svg("text", { class: `letter letter-${letter}`, y: radius * 0.27, "font-size": radius * 0.78 }, letter));
  }
  body.append(svg("ellipse", { class: "shine", cx: -radius * 0.34, cy: -radius * 0.46, rx: radius * 0.24, ry: radius * 0.15, transform: `rotate(-32 ${-radius * 0.34} ${-radius * 0.46})` }));
  group.append(body);
  return group;
}
