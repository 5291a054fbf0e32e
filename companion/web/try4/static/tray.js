// The tray: one place for each kind of tile, with how many are left, walked by the arrow keys.

import { html } from "/static/svg.js";
import { picture, words } from "./tile.js";

const STEPS = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export class Tray {
  /** `onTile(tile, byKey)` is called when a tile is pressed. */
  constructor(element, { onTile }) {
    this.element = element;
    this.places = new Map();
    this.kinds = "";
    element.addEventListener("click", (event) => {
      const place = event.target.closest("[data-tile]");
      if (place && place.getAttribute("aria-disabled") !== "true") onTile(place.dataset.tile, event.detail === 0);
    });
    element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** `left`: how many of each tile; rows in the players' own order. */
  show(rows, left, chosen) {
    this.#build(rows);
    for (const [tile, place] of this.places) {
      const count = left[tile] ?? 0;
      place.setAttribute("aria-disabled", String(count === 0));
      place.setAttribute("aria-pressed", String(chosen === tile));
      place.setAttribute("aria-label", `${words(tile)}, ${count === 0 ? "none" : count} left`);
      place.querySelector(".count").textContent = count > 1 ? `×${count}` : "";
    }
  }

  focus() {
    this.places.get(this.current)?.focus();
  }

  #build(rows) {
    const kinds = [];
    for (const { colour, numbers } of rows) {
      for (const number of numbers) if (!kinds.includes(`${colour}${number}`)) kinds.push(`${colour}${number}`);
    }
    if (this.kinds === kinds.join()) return;
    this.kinds = kinds.join();
    this.places.clear();
    const groups = new Map();
    for (const tile of kinds) {
      const colour = tile.replace(/[0-9]+$/, "");
      if (!groups.has(colour)) groups.set(colour, html("div", { class: "tray-group" }));
      const place = html("button", { type: "button", "data-tile": tile, tabindex: -1 }, picture(tile), html("span", { class: "count", "aria-hidden": "true" }));
      this.places.set(tile, place);
      groups.get(colour).append(place);
    }
    this.element.replaceChildren(...groups.values());
    this.#settle(kinds[0]);
  }

  #settle(tile) {
    this.places.get(this.current)?.setAttribute("tabindex", "-1");
    this.current = tile;
    this.places.get(tile)?.setAttribute("tabindex", "0");
  }

  #key(event) {
    const kinds = [...this.places.keys()];
    const at = kinds.indexOf(event.target.closest?.("[data-tile]")?.dataset.tile);
    if (at < 0) return;
    const to = event.key === "Home" ? 0 : event.key === "End" ? kinds.length - 1 : at + (STEPS[event.key] ?? NaN);
    if (Number.isNaN(to)) return;
    event.preventDefault();
    this.#settle(kinds[(to + kinds.length) % kinds.length]);
    this.focus();
  }
}
