// Drafts: what is typed is kept on this device at once, and on the site soon after.

import { call } from "./api.js";
import { collect } from "./answers.js";

const SOON = 2500;

const name = ({ phase, item }) => `draft:${phase}:${item}`;

export class Drafts {
  #form = null;
  #timer = null;
  #dirty = false;

  constructor(storage, clock, { saved }) {
    this.storage = storage;
    this.clock = clock;
    this.saved = saved;
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.#send(true));
  }

  /** What this device has kept of a form, if it is newer than what the site has. */
  kept(form) {
    const draft = this.storage.read(name(form.dataset));
    if (!draft || draft.version !== Number(form.dataset.version)) return null;
    return draft.data.at >= Number(form.dataset.draftAt) ? draft.data : null;
  }

  /** Keep this form's answers from now on. */
  watch(form, pasted) {
    this.stop();
    this.#form = form;
    const note = () => this.#note(pasted);
    form.addEventListener("input", note);
    form.addEventListener("change", note);
  }

  /** No more drafts of this form: it is answered, or gone. */
  stop() {
    clearTimeout(this.#timer);
    this.#form = null;
    this.#dirty = false;
  }

  /** The site has the answer: its draft is of no use any more. */
  forget(entry) {
    if (this.#form && name(this.#form.dataset) === name(entry)) this.stop();
    this.storage.remove(name(entry));
  }

  #note(pasted) {
    if (!this.#form) return;
    this.storage.write(name(this.#form.dataset), this.#draft(pasted));
    this.#dirty = true;
    // Choices are quickly made again; only writing is worth the way to the site and back.
    if (!this.#form.querySelector("textarea, .candidates")) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), SOON);
  }

  #draft(pasted) {
    const { phase, item, version } = this.#form.dataset;
    const data = { given: collect(this.#form), at: Date.now(), seconds: this.clock.seconds, pasted: [...pasted] };
    return { phase, item, version: Number(version), data };
  }

  async #send(keepalive = false) {
    clearTimeout(this.#timer);
    if (!this.#form || !this.#dirty || !this.#form.querySelector("textarea, .candidates")) return;
    const draft = this.storage.read(name(this.#form.dataset));
    if (!draft) return;
    this.#dirty = false;
    try {
      const { status } = await call("PUT", "drafts", draft, { keepalive });
      if (status < 300) this.saved();
    } catch {
      this.#dirty = true; // this device has it
    }
  }
}
