// How long the game has lasted, without its pauses, on the table's own clock.

import { say } from "./svg.js";

const EVERY_MS = 1000;

/** `12:34`, or `1:02:03` from an hour on. */
export function spanWords(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, String(whole % 60).padStart(2, "0")];
  return h ? `${h}:${String(m).padStart(2, "0")}:${s}` : `${m}:${s}`;
}

/** How long the game has lasted at a moment (s since 1970), null where nobody knows. */
export function lasted({ game, paused_since: paused }, now) {
  if (typeof game?.started !== "number") return null;
  const until = game.ended ?? Math.min(now, paused ?? now);
  return until - game.started - (game.paused_s ?? 0);
}

export class Clock {
  constructor(element) {
    this.element = element;
    this.ahead = 0; // of the table's clock over this device's, s
    this.state = null;
    setInterval(() => this.#draw(), EVERY_MS);
  }

  showState(state) {
    this.state = state;
    this.#draw();
  }

  showTime(time) {
    if (typeof time === "number") this.ahead = time - Date.now() / 1000;
  }

  #draw() {
    const seconds = this.state && lasted(this.state, Date.now() / 1000 + this.ahead);
    say(this.element, seconds === null || seconds === undefined ? "" : `${spanWords(seconds)}${this.state.paused_since ? " · paused" : ""}`);
  }
}
