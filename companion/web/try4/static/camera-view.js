// What the camera sees, with what is read drawn over it: the newest picture, asked for while the page is looked at.

import { say, svg } from "/static/svg.js";
import { parts } from "./tile.js";

const EVERY_MS = 1000;
const NONE = "There is no camera picture at the moment.";

export class CameraView {
  constructor(image, drawn, note) {
    Object.assign(this, { image, drawn, note });
    image.addEventListener("load", () => this.#seen(true));
    image.addEventListener("error", () => this.#seen(false));
    this.#ask();
  }

  /** Draws what is read: corners in pixels of a picture of so many. */
  show(size, read) {
    if (!size) return;
    const scale = size[0] / 960; // lines and words are as thick on the screen whatever the camera's pixels
    this.drawn.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    this.drawn.replaceChildren(
      ...read.map(({ at_px: corners, tile, sure }) => {
        const points = corners.map((corner) => corner.join()).join(" ");
        const [x, y] = [0, 1].map((axis) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length);
        const word = tile && sure ? `${tile[0]}${parts(tile).number}` : "?";
        return svg("g", {},
          svg("polygon", { points, class: "read-edge" }),
          svg("polygon", { points, class: sure ? "read" : "read read-unsure" }),
          svg("text", { transform: `translate(${x} ${y + 44 * scale}) scale(${scale})`, class: "read-word" }, word));
      }));
  }

  #ask() {
    if (document.visibilityState === "visible") this.image.src = `/picture.jpg?t=${Date.now()}`;
    else setTimeout(() => this.#ask(), EVERY_MS);
  }

  #seen(there) {
    this.image.hidden = !there;
    this.drawn.toggleAttribute("hidden", !there);
    say(this.note, there ? "" : NONE);
    setTimeout(() => this.#ask(), EVERY_MS);
  }
}
