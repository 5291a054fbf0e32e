// Sounds and speech for rulings: one at a time, and only the final word of what comes together.

import { say } from "./svg.js";
import { rulingWords } from "./words.js";

const SETTLED_MS = 900; // what is followed by something else within this time is not said
const MODES = ["off", "sounds", "speech"];
const WORDS = { off: "Sound off", sounds: "Sounds", speech: "Speech" };
const KEPT_IN = "senryaku sound";

/** Tones of a ruling: `[Hz, from s, for s]`. */
const CHIMES = {
  move: [[660, 0, 0.09]], restored: [[660, 0, 0.09], [880, 0.1, 0.12]], start: [[523, 0, 0.12], [784, 0.13, 0.2]],
  illegal: [[233, 0, 0.18], [208, 0.2, 0.3]], held: [[311, 0, 0.15], [311, 0.2, 0.15]], crash: [[220, 0, 0.15], [165, 0.15, 0.2], [110, 0.35, 0.5]],
  question: [[587, 0, 0.12], [740, 0.15, 0.25]], game_over: [[523, 0, 0.15], [659, 0.16, 0.15], [784, 0.32, 0.4]], correct: [[523, 0, 0.12]],
};

/** A ruling as it is spoken: wells apart, no signs. */
export function spoken(words) {
  return words.replace(/([a-g][1-6])-([a-g][1-6])/g, "$1 to $2").replace(/([a-g][1-6])x([a-g][1-6])/g, "$1 takes $2");
}

export class Crier {
  constructor(button) {
    this.button = button;
    this.seq = null; // of the newest ruling heard of
    this.timer = null;
    this.mode = "off";
    this.#choose(stored());
    button.addEventListener("click", () => this.#choose(MODES[(MODES.indexOf(this.mode) + 1) % MODES.length], true));
  }

  show({ last_ruling: ruling, recent = [] }) {
    const seq = ruling?.seq ?? 0;
    const isNew = this.seq !== null && seq > this.seq;
    if (this.seq !== seq) clearTimeout(this.timer); // also what was taken back is not said
    this.seq = seq;
    if (!isNew || this.mode === "off") return;
    const before = recent.filter((one) => one.seq < seq).at(-1);
    this.timer = setTimeout(() => this.#cry(ruling, before), SETTLED_MS);
  }

  #choose(mode, byHand = false) {
    this.mode = MODES.includes(mode) ? mode : "off";
    this.button.dataset.sound = this.mode;
    say(this.button, WORDS[this.mode]);
    try {
      localStorage.setItem(KEPT_IN, this.mode);
    } catch {
      // a browser that keeps nothing begins without sound next time
    }
    globalThis.speechSynthesis?.cancel();
    if (!byHand || this.mode === "off") return;
    if (this.mode === "sounds") this.#chime("start");
    else this.#speak("Rulings are spoken.");
  }

  #cry(ruling, before) {
    if (this.mode === "sounds") this.#chime(ruling.kind);
    else if (this.mode === "speech") this.#speak(spoken(rulingWords(ruling, before)));
  }

  #speak(words) {
    const voice = globalThis.speechSynthesis;
    if (!voice) return;
    voice.cancel();
    const said = new SpeechSynthesisUtterance(words);
    said.lang = document.documentElement.lang;
    voice.speak(said);
  }

  #chime(kind) {
    this.audio ??= new AudioContext();
    this.volume?.disconnect(); // one at a time
    this.volume = this.audio.createGain();
    this.volume.connect(this.audio.destination);
    const now = this.audio.currentTime + 0.02;
    for (const [hz, from, length] of CHIMES[kind] ?? CHIMES.move) {
      const tone = this.audio.createOscillator();
      const loud = this.audio.createGain();
      tone.frequency.value = hz;
      loud.gain.setValueAtTime(0.0001, now + from);
      loud.gain.exponentialRampToValueAtTime(0.25, now + from + 0.015);
      loud.gain.exponentialRampToValueAtTime(0.0001, now + from + length);
      tone.connect(loud).connect(this.volume);
      tone.start(now + from);
      tone.stop(now + from + length + 0.05);
    }
  }
}

function stored() {
  try {
    return localStorage.getItem(KEPT_IN);
  } catch {
    return "off";
  }
}
