// Answers on their way: kept on this device until the site has acknowledged them, sent in order, again and again.
// Each has a key, by which the site knows an answer that it has seen before; so nothing is lost and nothing doubled.

import { Unreachable, call } from "./api.js";

const LONGEST_WAIT = 30000;

export class Queue {
  #timer = null;
  #failures = 0;
  #running = null;

  /**
   * `sent(entry, data)`: acknowledged. `refused(entry, data)`: will never be taken. `changed(count, why)`: how many
   * are pending, and whether for want of a connection ("offline") or of a session ("session").
   */
  constructor(storage, { sent, refused, changed }) {
    this.storage = storage;
    this.on = { sent, refused, changed };
    addEventListener("online", () => this.flush());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.count && this.flush());
  }

  get entries() {
    return this.storage.read("queue", []);
  }

  get count() {
    return this.entries.length;
  }

  /** Keep an answer, then send everything that waits. */
  add(entry) {
    const others = this.entries.filter((other) => other.key !== entry.key);
    this.storage.write("queue", [...others, entry]);
    return this.flush();
  }

  /** Send what waits; calls that overlap share one run. */
  flush() {
    clearTimeout(this.#timer);
    this.#running ??= this.#run().finally(() => (this.#running = null));
    return this.#running;
  }

  async #run() {
    for (let entry = this.entries[0]; entry; entry = this.entries[0]) {
      let answer;
      try {
        answer = await call("POST", "answers", entry);
      } catch (error) {
        if (!(error instanceof Unreachable)) throw error;
        this.#later();
        this.on.changed(this.count, "offline");
        return;
      }
      this.#failures = 0;
      if (answer.status === 401) {
        this.on.changed(this.count, "session");
        return;
      }
      this.storage.write("queue", this.entries.filter((other) => other.key !== entry.key));
      if (answer.status < 300) this.on.sent(entry, answer.data);
      else this.on.refused(entry, answer.data);
      this.on.changed(this.count, "");
    }
  }

  /** Wait a second, two, four, …, with some chance in it so that a room full of people does not knock at once. */
  #later() {
    const wait = Math.min(1000 * 2 ** this.#failures, LONGEST_WAIT) * (0.75 + Math.random() / 2);
    this.#failures += 1;
    this.#timer = setTimeout(() => this.flush(), wait);
  }
}
