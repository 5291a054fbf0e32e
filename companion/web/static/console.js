// The referee's few controls on the board's page: answer an open question, let an illegal move stand, award the game.

import { ask } from "./asking.js";
import { html } from "./svg.js";
import { candidateWords, sideWord } from "./words.js";

const OTHER = { white: "black", black: "white" };
const SHOWN = 3; // answers that fit beside one another

/** What can be asked for now: `[{ words, command }]`; nothing while the game waits for nobody. */
export function choices(game) {
  const { waiting } = game ?? {};
  if (waiting?.for === "answer") {
    const { seq, about, candidates } = waiting.question;
    return candidates
      .filter(({ move }) => move !== "something_else")
      .slice(0, SHOWN)
      .map(({ move }) => ({ words: candidateWords(move, about), command: { do: "answer", question: seq, move } }));
  }
  if (waiting?.for === "restore") {
    const winner = OTHER[waiting.illegal?.player];
    return [
      { words: "Let it stand", command: { do: "let_stand" } },
      ...(winner ? [{ words: `Award to ${sideWord(winner)}`, command: { do: "award", winner } }] : []),
    ];
  }
  return [];
}

export class Console {
  /** `box` takes the place of `others` while there is something to choose; `tell` says what went wrong. */
  constructor(box, others, tell) {
    this.box = box;
    this.others = others;
    this.tell = tell;
    this.shown = "";
  }

  show({ game }) {
    const now = choices(game);
    const key = JSON.stringify(now);
    if (key === this.shown) return; // a button under a finger stays
    this.shown = key;
    this.box.replaceChildren(...now.map(({ words, command }) => {
      const button = html("button", { type: "button", "data-console": command.do }, words);
      button.addEventListener("click", () => this.#do(command));
      return button;
    }));
    this.box.hidden = now.length === 0;
    this.others.hidden = now.length > 0;
  }

  async #do(command) {
    const problem = await ask("/api/v1/console", command);
    if (problem) this.tell(problem);
  }
}
