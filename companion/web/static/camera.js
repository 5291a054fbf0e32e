// What the camera sees: a small window over the page that asks for the newest picture about twice a second while open.

import { html, say } from "./svg.js";

const EVERY_MS = 500;

export class CameraView {
  constructor(dialog, opener) {
    this.dialog = dialog;
    this.frame = dialog.querySelector("[data-picture]");
    this.note = dialog.querySelector("[data-note]");
    this.image = null;
    opener.addEventListener("click", () => (dialog.open ? dialog.close() : this.#open()));
    dialog.querySelector("[data-close]").addEventListener("click", () => dialog.close());
    dialog.addEventListener("keydown", ({ key }) => key === "Escape" && dialog.close());
    dialog.addEventListener("close", () => this.#stop());
  }

  #open() {
    this.dialog.show();
    const image = html("img", { alt: "The board as the camera sees it now" });
    this.image = image;
    image.hidden = true;
    const again = (seen) => () => {
      if (this.image !== image) return;
      image.hidden = !seen;
      say(this.note, seen ? "" : "There is no camera picture at the moment.");
      this.timer = setTimeout(() => this.#ask(), EVERY_MS);
    };
    image.addEventListener("load", again(true));
    image.addEventListener("error", again(false));
    this.frame.replaceChildren(image);
    this.#ask();
  }

  #ask() {
    if (this.image) this.image.src = `/picture.jpg?t=${Date.now()}`;
  }

  #stop() {
    clearTimeout(this.timer);
    this.image = null;
    this.frame.replaceChildren();
    say(this.note, "");
  }
}
