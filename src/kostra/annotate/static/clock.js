// Thinking time: the seconds during which the item was visible in a window that had the focus.

export class Clock {
  #sum = 0;
  #since = null;

  constructor() {
    for (const name of ["focus", "blur"]) addEventListener(name, () => this.#look());
    document.addEventListener("visibilitychange", () => this.#look());
  }

  /** Begin anew, or go on after so many seconds. */
  restart(earlier = 0) {
    this.#sum = earlier * 1000;
    this.#since = null;
    this.#look();
  }

  get seconds() {
    const running = this.#since === null ? 0 : performance.now() - this.#since;
    return Math.round(this.#sum + running) / 1000;
  }

  #look() {
    const seen = document.visibilityState === "visible" && document.hasFocus();
    if (seen && this.#since === null) this.#since = performance.now();
    if (!seen && this.#since !== null) {
      this.#sum += performance.now() - this.#since;
      this.#since = null;
    }
  }
}
