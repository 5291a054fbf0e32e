// The board as an SVG of 780 by 680: a plank with 7 by 6 wells 100 apart and a frame that carries the coordinates.

import { FILES, RANKS, WELLS, inWords } from "./position.js";
import { gradients, sphere, svg } from "./svg.js";

const PITCH = 100;
const FRAME = 40;
const WELL = 41;

/** The centre of a well in the drawing. */
export function centre(well) {
  return {
    x: FRAME + PITCH * (FILES.indexOf(well[0]) + 0.5),
    y: FRAME + PITCH * (RANKS - Number(well[1]) + 0.5),
  };
}

/** An arrow from one well to another on a pale casing, so that it stands out on any wood. */
function arrow(from, to, kind, startGap, endGap) {
  const [a, b] = [centre(from), centre(to)];
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const at = (along, aside = 0) => `${(a.x + ux * along - uy * aside).toFixed(1)} ${(a.y + uy * along + ux * aside).toFixed(1)}`;
  const tip = length - endGap;
  const shaft = `M${at(startGap)}L${at(tip - 20)}`;
  const head = `M${at(tip - 24, 17)}L${at(tip)}L${at(tip - 24, -17)}Z`;
  return svg("g", { class: `arrow arrow-${kind}` },
    svg("path", { class: "casing", d: shaft }), svg("path", { class: "casing", d: head }),
    svg("path", { class: "shaft", d: shaft }), svg("path", { class: "head", d: head }));
}

function circle(well, r, cls) {
  const { x, y } = centre(well);
  return [svg("circle", { class: `${cls} casing`, cx: x, cy: y, r }), svg("circle", { class: cls, cx: x, cy: y, r })];
}

function badge(x, y, text, cls) {
  return svg("g", { class: `badge ${cls}`, transform: `translate(${x} ${y})` },
    svg("circle", { r: 17 }), svg("text", { y: 7.5 }, text));
}

export class Board {
  constructor(root) {
    this.root = root;
    this.under = svg("g");
    this.balls = svg("g");
    this.over = svg("g");
    this.standing = new Map(); // well -> { letter, element }
    root.append(gradients(), plank(), labels(), wells(), this.under, this.balls, this.over);
  }

  /** Draws a scene (see scene.js). */
  show({ spheres, last, wrong, misplaced, candidates, inHand }) {
    this.#place(spheres);
    for (const [well, { element }] of this.standing) {
      element.classList.toggle("raised", well === inHand);
    }
    const under = [];
    const over = [];
    if (last) under.push(...circle(last.from, 22, "came-from"), arrow(last.from, last.to, "last", 24, 36), ...circle(last.to, 39, "went-to"));
    if (inHand) under.push(...circle(inHand, 37, "lifted-from"));
    if (wrong) {
      const { x, y } = centre(wrong.to);
      under.push(...circle(wrong.from, 36, "put-back"));
      over.push(...circle(wrong.to, 38, "wrong-ring"), arrow(wrong.to, wrong.from, "back", 40, 30), badge(x + 29, y - 29, "×", "badge-wrong"));
    }
    for (const { well, stands, belongs } of misplaced.filter(({ well }) => well !== wrong?.from && well !== wrong?.to)) {
      const { x, y } = centre(well);
      if (stands) over.push(...circle(well, 38, "wrong-ring"), badge(x + 29, y - 29, "×", "badge-wrong"));
      else under.push(...circle(well, 36, "put-back"), svg("g", { class: "ghost", transform: `translate(${x} ${y})` }, sphere(belongs, 24)));
    }
    candidates.forEach((ends, i) => {
      const { x, y } = centre(ends.to);
      const alike = candidates.flatMap(({ from, to }, n) => (from === ends.from && to === ends.to ? [n + 1] : []));
      if (alike[0] === i + 1) over.push(arrow(ends.from, ends.to, "maybe", 38, 20), badge(x, y, alike.join("/"), "badge-maybe"));
    });
    this.under.replaceChildren(...under);
    this.over.replaceChildren(...over);
    const label = [inWords(spheres), last && `Last move ${last.from} to ${last.to}.`, wrong && `The sphere on ${wrong.to} must go back to ${wrong.from}.`,
      misplaced.length && `Out of place: ${misplaced.map(({ well }) => well).join(" ")}.`];
    this.root.setAttribute("aria-label", label.filter(Boolean).join(" "));
  }

  /** Lets spheres glide to where they now stand: one that vanished and a like one that appeared are the same. */
  #place(spheres) {
    const gone = [...this.standing].filter(([well, { letter }]) => spheres.get(well) !== letter);
    const came = [...spheres].filter(([well, letter]) => this.standing.get(well)?.letter !== letter);
    for (const [well] of gone) this.standing.delete(well);
    for (const [well, letter] of came) {
      const twin = gone.findIndex(([, ball]) => ball.letter === letter);
      const ball = twin >= 0 ? gone.splice(twin, 1)[0][1] : this.#add(letter);
      const { x, y } = centre(well);
      ball.element.style.transform = `translate(${x}px, ${y}px)`;
      ball.element.dataset.well = well;
      this.standing.set(well, ball);
    }
    for (const [, { element }] of gone) element.remove();
  }

  #add(letter) {
    const element = svg("g", { class: "place" }, sphere(letter));
    this.balls.append(element);
    return { letter, element };
  }
}

function plank() {
  const grain = [90, 178, 262, 351, 437, 520, 604].map((y, i) => {
    const bend = (i % 2 ? -1 : 1) * (7 + ((i * 5) % 11));
    return svg("path", { class: "grain", d: `M10 ${y}C200 ${y + bend} 420 ${y - bend * 1.4} 770 ${y + bend * 0.5}` });
  });
  return svg("g", {},
    svg("rect", { class: "plank", x: 2, y: 2, width: 776, height: 676, rx: 26, fill: "url(#wood)" }), ...grain,
    svg("rect", { class: "groove", x: 34, y: 34, width: 712, height: 612, rx: 14 }));
}

function labels() {
  const text = (x, y, value) => svg("text", { class: "coordinate", x, y }, value);
  const group = svg("g", { "aria-hidden": "true" });
  [...FILES].forEach((file, i) => group.append(text(FRAME + PITCH * (i + 0.5), 670, file), text(FRAME + PITCH * (i + 0.5), 26, file)));
  for (let rank = 1; rank <= RANKS; rank++) {
    const y = FRAME + PITCH * (RANKS - rank + 0.5) + 8;
    group.append(text(18, y, rank), text(762, y, rank));
  }
  return group;
}

function wells() {
  return svg("g", {}, ...WELLS.map((well) => {
    const { x, y } = centre(well);
    return svg("circle", { class: "well", cx: x, cy: y, r: WELL, fill: "url(#well)" });
  }));
}
