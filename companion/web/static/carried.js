// A sphere under the finger or the pointer while it is dragged.

import { html, sphere, svg } from "./svg.js";

const SIZE_PX = 64; // seen around a finger tip

export class Carried {
  constructor() {
    this.element = null;
  }

  /** Shows a sphere (w, b, W or B) at a pointer event. */
  show(letter, { clientX, clientY }) {
    if (!this.element) {
      this.element = html("div", { class: "carried", "aria-hidden": "true" }, svg("svg", { viewBox: "-40 -40 80 80", width: SIZE_PX, height: SIZE_PX }, sphere(letter, 34)));
      document.body.append(this.element);
    }
    this.element.style.transform = `translate(${clientX - SIZE_PX / 2}px, ${clientY - SIZE_PX * 0.8}px)`;
  }

  end() {
    this.element?.remove();
    this.element = null;
  }
}
