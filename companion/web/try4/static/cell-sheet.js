// The sheet in which a person says what lies in a cell; on a simulated mat also moves its tile.

import { html, say } from "/static/svg.js";
import { picture, words } from "./tile.js";

const $ = (id) => document.getElementById(id);

export class CellSheet {
  /** `onSay(cell, tile)` is called with a tile or null; `onHand(command)` with what a hand does on a simulated mat. */
  constructor(dialog, { onSay, onHand }) {
    Object.assign(this, { dialog, onSay, onHand });
  }

  /** `tiles`: the likeliest first; `known`: what was played there; `lies`: whether something lies there now. */
  open(cell, { tiles, known, lies, asked }) {
    say($("cell-heading"), asked ? `What lies on ${cell}?` : `Cell ${cell}`);
    say($("cell-note"), note(known, asked));
    $("cell-tiles").replaceChildren(
      ...tiles.map((tile) => {
        const button = html("button", { type: "button", "aria-label": words(tile) }, picture(tile));
        button.addEventListener("click", () => this.#done(() => this.onSay(cell, tile)));
        return button;
      }));
    const act = (word, does) => {
      const button = html("button", { type: "button" }, word);
      button.addEventListener("click", () => this.#done(does));
      return button;
    };
    const actions = [act("Nothing lies here", () => this.onSay(cell, null))];
    if (this.onHand && lies) {
      actions.push(act("Take it off the mat", () => this.onHand({ do: "take", cell })), act("Turn it over", () => this.onHand({ do: "turn_over", cell })));
    }
    $("cell-actions").replaceChildren(...actions);
    this.dialog.showModal();
  }

  #done(does) {
    this.dialog.close();
    does();
  }
}

function note(known, asked) {
  if (asked && known) return `${words(known)} was played here; now it is turned over, or cannot be read. Put it right, or say which tile it is.`;
  if (asked) return "The camera is not sure. Lay the tile better, or say which it is; the likeliest come first.";
  return "Say which tile lies here, whatever the camera reads.";
}
