// Whether the next touch is dangerous, in one word that can be read from across the room.

import { inWords, verdict } from "./risk.js";
import { say } from "./svg.js";

const SIGNS = { safe: "\u2713", careful: "!", danger: "\u00d7", nowhere: "\u00d7" };

export class Verdict {
  constructor(root) {
    this.root = root;
    [this.sign, this.word, this.note] = [".verdict-sign", ".verdict-word", ".verdict-note"].map((part) => root.querySelector(part));
    this.known = !root.hidden; // the page knows it from the first where there are any
  }

  /**
   * Shows the risks of the live values, null for none, never brighter than the board stands now (`zone`, see gauge.js);
   * its room stays once there were any, so that nothing jumps.
   */
  show(risks, zone) {
    const { level, word, note } = verdict(risks, zone);
    this.known ||= level !== "none";
    this.root.hidden = !this.known;
    this.root.dataset.level = level;
    say(this.sign, SIGNS[level] ?? "");
    say(this.word, word);
    say(this.note, note);
    this.root.title = inWords(risks);
  }
}
