// What the camera sees, with what is read in this very picture drawn in; asked for while the page is looked at.

import { say } from "/static/svg.js";

const EVERY_MS = 1000;
const NONE = "There is no camera picture at the moment.";

export class CameraView {
  constructor(image, note) {
    Object.assign(this, { image, note });
    image.addEventListener("load", () => this.#seen(true));
    image.addEventListener("error", () => this.#seen(false));
    this.#ask();
  }

  #ask() {
    if (document.visibilityState === "visible") this.image.src = `/picture.jpg?drawn&t=${Date.now()}`;
    else setTimeout(() => this.#ask(), EVERY_MS);
  }

  #seen(there) {
    this.image.hidden = !there;
    say(this.note, there ? "" : NONE);
    setTimeout(() => this.#ask(), EVERY_MS);
  }
}
