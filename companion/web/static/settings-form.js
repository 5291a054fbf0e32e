// The settings in force as a form; what is changed is sent, what is not stays as it is.

import { html } from "./svg.js";

const RULES = {
  track_steps: ["Track, steps", 1], capture_points: ["Points for a capture", 0], crash_points: ["Points for a crash", 0],
  no_move_points: ["Points for no move", 0], forfeit_points: ["Points for a forfeit", 0], resignation_points: ["Points for a resignation", 0],
  void_at_repetition: ["Void at repetition (empty: never)", 3], illegal_moves_forfeit: ["Illegal moves that forfeit (empty: never)", 1],
};
const FLAGS = { alternate_first: "The beginner alternates", holding_forfeits: "Holding the board forfeits" };
const KINDS = { move: "Moves", illegal: "Illegal moves", restored: "Position put right", held: "Board held", crash: "Crashes", game_over: "End of the game" };
const HANDLINGS = { accept: "are ruled at once", ask: "are asked first", log: "are only noted", ignore: "are ignored" };
const OPTIONAL = new Set(["void_at_repetition", "illegal_moves_forfeit"]);

const choice = (name, value, options) => {
  const select = html("select", { name }, ...Object.entries(options).map(([key, words]) => html("option", { value: key }, words)));
  select.value = value;
  return select;
};

export class SettingsForm {
  constructor(form, onChange) {
    this.form = form;
    this.shown = "";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      onChange(this.#changes());
    });
  }

  /** Fills the form, unless nothing is new. */
  show({ rules, policy }) {
    const key = JSON.stringify([rules, policy]);
    if (key === this.shown) return;
    this.shown = key;
    this.now = { rules, policy };
    const numbers = Object.entries(RULES).map(([name, [words, least]]) =>
      html("label", {}, words, html("input", { type: "number", name, min: least, max: 99, value: rules[name] ?? "", ...(OPTIONAL.has(name) ? {} : { required: "" }) })));
    const flags = Object.entries(FLAGS).map(([name, words]) =>
      html("label", { class: "flag" }, html("input", { type: "checkbox", name, ...(rules[name] ? { checked: "" } : {}) }), words));
    const first = html("label", {}, "Begins the match", choice("first", rules.first, { white: "White", black: "Black" }));
    const kinds = Object.entries(KINDS).map(([kind, words]) => html("label", {}, words, choice(`policy-${kind}`, policy[kind], HANDLINGS)));
    this.form.replaceChildren(
      html("h4", {}, "Rules of the match"), html("div", { class: "settings-grid" }, ...numbers, first, ...flags),
      html("h4", {}, "What the referee does by itself"), html("div", { class: "settings-grid" }, ...kinds),
      html("button", { class: "main" }, "Put in force"));
  }

  #changes() {
    const changed = { rules: {}, policy: {} };
    for (const { name, type, value, checked } of this.form.elements) {
      if (name.startsWith("policy-")) {
        const kind = name.slice("policy-".length);
        if (value !== this.now.policy[kind]) changed.policy[kind] = value;
      } else if (name) {
        const set = type === "checkbox" ? checked : type === "number" ? (value === "" ? null : Number(value)) : value;
        if (set !== this.now.rules[name]) changed.rules[name] = set;
      }
    }
    return changed;
  }
}
