// The sheet for a new game, taking a turn back, and showing the tiles' colours to the camera.

import { html, say } from "/static/svg.js";
import { picture } from "./tile.js";

const $ = (id) => document.getElementById(id);

export class BeginSheet {
  /** `order(command)` asks the table to do something; it throws what is to be said. */
  constructor(dialog, { order, onBegun }) {
    Object.assign(this, { dialog, order, onBegun, names: [] });
    $("begin-players").addEventListener("change", () => this.#showNames());
    $("begin-form").addEventListener("submit", (event) => this.#begin(event));
    $("take-back").addEventListener("click", () => this.#say({ do: "take_back" }, "The turn is taken back."));
    $("learn").addEventListener("click", () => this.#say({ do: "learn" }, "The colours are learned."));
    $("forget-colours").addEventListener("click", () => this.#say({ do: "forget_colours" }, "The camera goes by the colours' names."));
  }

  open(game) {
    this.names = [...game.names];
    $("begin-players").value = String(game.players);
    this.#showNames();
    $("take-back").disabled = !game.turns.length;
    say($("learn-note"), `${game.learned ? "The camera knows your tiles' colours." : "The camera goes by the colours' names."} To show it your own tiles, lay one of each colour in row 1 of the bare mat, from a1 on in this order:`);
    $("learn-order").replaceChildren(...game.colours.map((colour) => picture(`${colour}1`)));
    say($("learned"), "");
    this.dialog.showModal();
  }

  #showNames() {
    const players = Number($("begin-players").value);
    $("begin-names").replaceChildren(
      ...(players > 1 ? Array.from({ length: players }, (_, i) => {
        const input = html("input", { id: `begin-name-${i}`, maxlength: 20, autocomplete: "off", placeholder: `Player ${i + 1}` });
        input.value = this.names[i] ?? "";
        return html("p", { class: "field" }, html("label", { for: `begin-name-${i}` }, `Name ${i + 1}`), input);
      }) : []));
  }

  async #begin(event) {
    event.preventDefault();
    const names = [...document.querySelectorAll("#begin-names input")].map(({ value }) => value);
    if (await this.#say({ do: "begin", players: Number($("begin-players").value), names }, "")) {
      this.dialog.close();
      this.onBegun();
    }
  }

  async #say(command, done) {
    try {
      await this.order(command);
      say($("learned"), done);
      return true;
    } catch (error) {
      say($("learned"), error.message);
      return false;
    }
  }
}
