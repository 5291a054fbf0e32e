// A value that counts only once it has stayed the same for a while: what the table guesses may flicker, the page may not.

/** `see` takes the newest value; `onSettle` is called when one has stayed the same (===) for `ms`. `value` is null until then. */
export class Steady {
  constructor(ms, onSettle) {
    this.ms = ms;
    this.onSettle = onSettle;
    this.newest = null;
    this.value = null;
  }

  /** Gives whether that changed `value` at once: a value that went away goes away without waiting. */
  see(value) {
    if (value === this.newest) return false;
    clearTimeout(this.timer);
    const had = this.value !== null;
    this.newest = value;
    this.value = null;
    if (value !== null) {
      this.timer = setTimeout(() => {
        this.value = value;
        this.onSettle();
      }, this.ms);
    }
    return had;
  }
}

/** The least of the values of the last `ms`, null where the newest is none; `onRise` is called when an old one is forgotten. */
export class Least {
  constructor(ms, onRise) {
    this.ms = ms;
    this.onRise = onRise;
    this.value = null;
  }

  see(value) {
    this.newest = typeof value === "number" ? value : null;
    if (this.newest !== null && this.value !== null && this.newest > this.value) {
      this.timer ??= setTimeout(() => this.#rise(), this.ms);
      return;
    }
    clearTimeout(this.timer);
    this.timer = null;
    this.value = this.newest;
  }

  #rise() {
    this.timer = null;
    this.value = this.newest;
    this.onRise();
  }
}
