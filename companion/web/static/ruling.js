// The last ruling: its sign and its words, and every new one read out once, in order.

import { rulingMark } from "./marks.js";
import { html, sayMoves } from "./svg.js";
import { pauseHeadline, rulingWords } from "./words.js";

const SHORT = 24; // letters that fit one line in the largest size
const MEDIUM = 50; // letters that fit two lines
const KEPT_ANNOUNCEMENTS = 5;

export class RulingView {
  constructor(root, announcer) {
    this.root = root;
    this.mark = root.querySelector(".ruling-mark");
    this.text = root.querySelector(".ruling-text");
    this.announcer = announcer;
    this.announced = null;
  }

  show(state) {
    const { last_ruling: ruling, recent = [] } = state;
    const before = recent.filter(({ seq }) => seq < (ruling?.seq ?? 0)).at(-1);
    const kind = state.paused_since ? "paused" : (ruling?.kind ?? "none");
    this.root.dataset.kind = kind;
    rulingMark(this.mark, kind);
    const words = state.paused_since ? pauseHeadline(state) : rulingWords(ruling, before);
    this.text.dataset.length = words.length <= SHORT ? "short" : words.length <= MEDIUM ? "medium" : "long";
    sayMoves(this.text, words);
    this.#announce(state);
  }

  /** Also when several arrive together. */
  #announce({ recent: rulings = [], seq: newest }) {
    if (this.announced !== null && this.announced <= newest) {
      rulings.forEach((ruling, i) => {
        if (ruling.seq > this.announced) this.announcer.append(html("p", {}, rulingWords(ruling, rulings[i - 1])));
      });
      while (this.announcer.childElementCount > KEPT_ANNOUNCEMENTS) this.announcer.firstElementChild.remove();
    }
    this.announced = newest;
  }
}
