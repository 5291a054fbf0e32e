// The wooden scoring board: one sphere a player, starting at opposite ends, each going for the other's start.

import { sphere, svg } from "./svg.js";

const LEFT = 42;
const RIGHT = 558;
const LANES = { black: 31, white: 65 };
const MOST_HOLES = 24;

export class Track {
  constructor(root) {
    this.root = root;
    this.holes = svg("g");
    this.balls = {};
    root.append(
      svg("rect", { class: "plank", x: 2, y: 2, width: 596, height: 92, rx: 22, fill: "url(#wood)" }),
      svg("path", { class: "grain", d: "M8 48C180 41 380 57 592 47" }), this.holes);
    for (const [side, letter] of [["black", "B"], ["white", "W"]]) {
      this.balls[side] = svg("g", { class: "place" }, sphere(letter, 16));
      root.append(this.balls[side]);
    }
    this.show(null);
  }

  /** Draws the match as the state has it, null for none. */
  show(match) {
    const steps = match?.steps ?? 7;
    if (steps !== this.steps) this.#drill(steps);
    const at = { white: LEFT, black: RIGHT };
    const step = (RIGHT - LEFT) / steps;
    if (match) {
      at.white = LEFT + step * Math.min(match.white_steps, steps);
      at.black = RIGHT - step * Math.min(match.black_steps, steps);
    }
    for (const side of ["white", "black"]) this.balls[side].style.transform = `translate(${at[side]}px, ${LANES[side]}px)`;
    this.root.setAttribute("aria-label", match
      ? `Scoring board: White has ${match.white_steps}, Black has ${match.black_steps} of ${steps} steps.` : "Scoring board: no match yet.");
  }

  #drill(steps) {
    this.steps = steps;
    const many = steps > MOST_HOLES;
    const holes = [];
    for (const y of Object.values(LANES)) {
      if (many) holes.push(svg("rect", { class: "slot", x: LEFT - 6, y: y - 6, width: RIGHT - LEFT + 12, height: 12, rx: 6 }));
      for (let i = 0; i <= steps; i++) {
        const end = i === 0 || i === steps;
        if (many && !end) continue;
        holes.push(svg("circle", { class: end ? "hole hole-end" : "hole", cx: LEFT + ((RIGHT - LEFT) * i) / steps, cy: y, r: end ? 12 : Math.min(8, 150 / steps) }));
      }
    }
    this.holes.replaceChildren(...holes);
  }
}
