// Settings: players, board, tile set and colours for the next game, and deleting the history.

import { html, say } from "/static/svg.js";
import { look } from "./api.js";
import { COLOURS, picture } from "./tile.js";

const STANDARD = ["red", "blue", "green", "yellow", "purple"].map((colour) => ({ colour, numbers: "1 1 2 3 4" }));
const MOST_ROWS = 12;

const $ = (id) => document.getElementById(id);

export class Settings {
  /** `onSave(settings)` keeps them, `onForget()` deletes the history; both may throw what is to be said. */
  constructor(dialog, { onSave, onForget }) {
    Object.assign(this, { dialog, onSave, onForget });
    this.rows = [];
    $("set-players").addEventListener("change", () => this.#showNames());
    $("add-row").addEventListener("click", () => this.#addRow());
    $("standard").addEventListener("click", () => this.#showRows(STANDARD));
    $("settings-form").addEventListener("submit", (event) => this.#save(event));
  }

  /** Opens them as they are; `begun`: whether the game on the board was begun, so that they hold from the next. */
  async open(settings, begun) {
    this.names = [...settings.names];
    $("set-players").value = String(settings.players);
    $("set-columns").value = String(settings.columns);
    $("set-rows").value = String(settings.rows);
    this.#showNames();
    this.#showRows(
      settings.set.split(";").map((row) => {
        const [colour, ...numbers] = row.trim().split(/\s+/);
        return { colour, numbers: numbers.join(" ") };
      }));
    say($("settings-error"), "");
    say($("settings-note"), begun ? "A game is on the board: these hold from the next one (Delete begins it)." : "");
    this.#askToForget((await look("/try4/statistics")).results);
    this.dialog.showModal();
  }

  #showNames() {
    this.names = [...document.querySelectorAll("#set-names input")].map(({ value }) => value).concat(this.names.slice(document.querySelectorAll("#set-names input").length));
    const players = Number($("set-players").value);
    $("set-names").replaceChildren(
      ...(players > 1 ? Array.from({ length: players }, (_, i) => {
        const input = html("input", { id: `set-name-${i}`, maxlength: 20, autocomplete: "off", placeholder: `Player ${i + 1}` });
        input.value = this.names[i] ?? "";
        return html("p", { class: "field" }, html("label", { for: `set-name-${i}` }, `Name ${i + 1}`), input);
      }) : []));
  }

  #showRows(rows) {
    $("set-tiles").replaceChildren(...rows.map((row) => this.#row(row)));
    this.#number();
  }

  #row({ colour, numbers }) {
    const known = Object.keys(COLOURS).includes(colour) ? Object.keys(COLOURS) : [colour, ...Object.keys(COLOURS)];
    const select = html("select", {}, ...known.map((name) => html("option", {}, name)));
    select.value = colour;
    const input = html("input", { required: "", autocomplete: "off", inputmode: "text", pattern: "\\s*[0-9]{1,2}(\\s+[0-9]{1,2})*\\s*", title: "Numbers with spaces between, such as 1 1 2 3 4" });
    input.value = numbers;
    const sample = html("span", { class: "sample" });
    const show = () => sample.replaceChildren(picture(`${select.value}${/[0-9]{1,2}/.exec(input.value)?.[0] ?? 1}`));
    select.addEventListener("change", show);
    input.addEventListener("input", show);
    show();
    const remove = html("button", { type: "button" }, "Remove");
    const line = html("li", {}, sample, select, input, remove);
    remove.addEventListener("click", () => {
      const next = line.nextElementSibling ?? line.previousElementSibling;
      line.remove();
      this.#number();
      (next?.querySelector("button") ?? $("add-row")).focus();
    });
    return line;
  }

  #addRow() {
    const used = [...document.querySelectorAll("#set-tiles select")].map(({ value }) => value);
    const colour = Object.keys(COLOURS).find((name) => !used.includes(name)) ?? "red";
    $("set-tiles").append(this.#row({ colour, numbers: "1 1 2 3 4" }));
    this.#number();
    $("set-tiles").lastElementChild.querySelector("select").focus();
  }

  #number() {
    const lines = [...$("set-tiles").children];
    lines.forEach((line, i) => {
      line.querySelector("select").setAttribute("aria-label", `Colour of row ${i + 1}`);
      line.querySelector("input").setAttribute("aria-label", `Numbers of row ${i + 1}`);
      line.querySelector("button").setAttribute("aria-label", `Remove row ${i + 1}`);
      line.querySelector("button").disabled = lines.length === 1;
    });
    $("add-row").disabled = lines.length >= MOST_ROWS;
  }

  async #save(event) {
    event.preventDefault();
    const rows = [...$("set-tiles").children].map((line) => `${line.querySelector("select").value} ${line.querySelector("input").value.trim()}`);
    try {
      await this.onSave({
        columns: Number($("set-columns").value),
        rows: Number($("set-rows").value),
        players: Number($("set-players").value),
        names: [...document.querySelectorAll("#set-names input")].map(({ value }) => value),
        set: rows.join("; "),
      });
      this.dialog.close();
    } catch (error) {
      say($("settings-error"), error.message);
    }
  }

  #askToForget(results) {
    const games = new Set(results.map(({ game }) => game)).size;
    say($("history-count"), games ? `${games} finished game${games === 1 ? "" : "s"} in the statistics. Deleting the history deletes all ended games of this table, those played on a mat by camera too; games that go on stay.` : "No finished games.");
    say($("forgotten"), "");
    const ask = html("button", { type: "button", id: "forget" }, "Delete the history");
    ask.disabled = !games;
    ask.addEventListener("click", () => {
      const yes = html("button", { type: "button", class: "danger" }, `Yes, delete ${games === 1 ? "1 game" : `all ${games} games`}`);
      const no = html("button", { type: "button" }, "Keep them");
      $("history-actions").replaceChildren(yes, no);
      no.focus();
      no.addEventListener("click", () => {
        this.#askToForget(results);
        $("forget").focus();
      });
      yes.addEventListener("click", async () => {
        try {
          await this.onForget();
          this.#askToForget([]);
          say($("forgotten"), "The history is deleted.");
        } catch (error) {
          say($("forgotten"), error.message);
        }
      });
    });
    $("history-actions").replaceChildren(ask);
  }
}
