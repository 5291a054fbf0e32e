// What was played: the totals, the turns, and the squares of one of them with how each came about.

import { html } from "/static/svg.js";
import { colourWords, numberWords, playerName } from "./scores.js";
import { words } from "./tile.js";

const $ = (id) => document.getElementById(id);
const count = (tiles) => Object.values(tiles).reduce((sum, one) => sum + one, 0);

export class Record {
  /** `board` outlines the squares of the chosen turn; `onChoice()` is called when another is chosen. */
  constructor(board, onChoice) {
    Object.assign(this, { board, onChoice, chosen: null, game: null, drawn: "" });
  }

  /** Shows a game; `laid`: how many tiles lie there that are not yet played. */
  show(game, laid = 0) {
    this.game = game;
    this.#totals(laid);
    const drawn = `${game.game}/${game.turns.length}/${this.chosen}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    this.#turns();
    this.#squares();
  }

  /** Shows the squares of a turn, by its index; null for none. */
  choose(index) {
    this.chosen = index;
    this.onChoice();
  }

  clear() {
    this.chosen = null;
  }

  #totals(laid) {
    const { game } = this;
    const several = game.players > 1;
    $("totals").replaceChildren(
      ...game.totals.map((total, player) => {
        const turn = several && !game.over && player === game.player;
        const name = several ? playerName(game.names, player) : "Total";
        return html("li", turn ? { class: "turn", "aria-current": "true" } : {},
          html("span", { class: "total-name" }, name), html("span", { class: "total" }, String(total)),
          html("span", { class: "total-turn" }, turn ? "to play" : ""));
      }),
      html("li", { class: "left" }, html("span", { class: "total-name" }, "Tiles left"), html("span", { class: "total" }, String(count(game.unplaced) - laid))));
  }

  #turns() {
    const { game } = this;
    const who = (player) => (game.players > 1 ? `${playerName(game.names, player)}: ` : "");
    $("turns").replaceChildren(
      ...game.turns.map((turn, i) => {
        const button = html("button", { type: "button", "aria-pressed": String(i === this.chosen) },
          html("span", {}, `${who(turn.player)}${Object.entries(turn.tiles).map(([cell, tile]) => `${words(tile)} on ${cell}`).join(", ")}`),
          html("span", { class: "turn-score" }, String(turn.score)));
        button.addEventListener("click", () => {
          this.choose(i);
          $("turns").children[game.turns.length - 1 - i]?.querySelector("button").focus();
        });
        return html("li", {}, button);
      }).reverse());
  }

  #squares() {
    const { game, board } = this;
    const squares = game.turns[this.chosen]?.squares ?? [];
    board.outline(squares);
    $("squares").replaceChildren(
      ...squares.map((square, i) => {
        const line = html("li", {},
          html("strong", {}, `${square.cells[0]} to ${square.cells[3]}: ${square.colour + square.number}`),
          html("span", {}, `Colour ${square.colour}: ${colourWords(square, game.board)}.`),
          html("span", {}, `Number ${square.number}: ${numberWords(square, game.board)}.`));
        line.addEventListener("pointerenter", () => board.outline(squares, i));
        line.addEventListener("pointerleave", () => board.outline(squares));
        return line;
      }));
  }
}
