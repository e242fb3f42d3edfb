// The keyboard: digits and letters answer the question at hand, Enter sends, u takes back, ? helps.
// While somebody writes, keys belong to the text.

import { collect, answered } from "./answers.js";
import { backToCandidates } from "./pick.js";
import { open } from "./dialogs.js";

const TEXT = "textarea, select, input:not([type=radio], [type=checkbox], [type=range], [type=hidden]), [contenteditable]";
const OWN_ENTER = "button, a, summary";

export class Keys {
  #form = null;
  #current = null;

  constructor(storage) {
    this.storage = storage;
    document.addEventListener("keydown", (event) => this.#press(event));
  }

  /** The question that the keys belong to. */
  get current() {
    return this.#current;
  }

  /** A new screen. */
  take(form) {
    this.#form = form;
    this.#current = null;
    if (!form) return;
    form.addEventListener("focusin", (event) => this.#set(this.#questionOf(event.target)));
    form.addEventListener("change", (event) => this.#set(this.#after(this.#questionOf(event.target))));
    this.#set(this.#open()[0] ?? null);
  }

  #questions() {
    return [...this.#form.querySelectorAll('[data-question]:not([data-form="open"]), .pick, .asked[data-question]')].filter((one) => !one.hidden);
  }

  /** The names of the questions that have no answer yet. */
  #open() {
    const given = collect(this.#form);
    return this.#questions().map((one) => one.dataset.question).filter((name) => !answered(given[name]));
  }

  /** Where the keys go once a question is answered: on, back to what was left out, or nowhere. */
  #after(name) {
    const questions = this.#questions();
    const place = questions.findIndex((one) => one.dataset.question === name);
    if (place < 0 || questions[place].dataset.form === "several") return name;
    const open = new Set(this.#open());
    const later = questions.slice(place + 1).find((one) => open.has(one.dataset.question));
    const before = questions.slice(0, place).find((one) => open.has(one.dataset.question) && "required" in one.dataset);
    return (later ?? before)?.dataset.question ?? name;
  }

  #questionOf(element) {
    const name = element.name?.split(".")[0];
    const known = this.#questions().find((one) => one.dataset.question === name);
    return (known ?? element.closest("[data-question]"))?.dataset.question ?? this.#current;
  }

  #set(name) {
    this.#current = name;
    const questions = this.#questions();
    for (const one of questions) one.classList.toggle("current", questions.length > 1 && one.dataset.question === name);
  }

  #press(event) {
    if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
    const typing = event.target.closest?.(TEXT);
    if (event.key === "Enter") return this.#enter(event, typing);
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !this.storage.read("shortcuts", true)) return;
    if (event.key === "?") open("help");
    else if (event.key.toLowerCase() === "u") document.querySelector('[data-act="undo"]')?.click();
    else if (!this.#form || !this.#answer(event)) return;
    event.preventDefault();
  }

  #enter(event, typing) {
    if (typing ? !(event.ctrlKey || event.metaKey) : event.target.closest(OWN_ENTER)) return;
    const next = document.querySelector('#place [data-act="next"]');
    if (!this.#form && !next) return;
    event.preventDefault();
    if (this.#form) this.#form.requestSubmit();
    else next.click();
  }

  #answer(event) {
    const key = event.key;
    if (/^[0-9]$/.test(key)) return this.#choose(key);
    if (/^[a-z]$/i.test(key)) return this.#letter(key.toUpperCase());
    const free = !event.target.closest("input, button, a, summary, .candidate");
    if (free && (key === "ArrowDown" || key === "ArrowUp")) return this.#enterOptions();
    return false;
  }

  #choose(key) {
    const members = this.#form.querySelectorAll("[data-member]");
    const question = this.#questions().find((one) => one.dataset.question === this.#current);
    if (members.length && question?.matches(".asked")) return this.#member(members[Number(key) - 1]);
    const option = question?.querySelector(`.option[data-key="${key}"] input`);
    if (option) {
      option.focus();
      option.click();
      return true;
    }
    const chosen = question !== undefined && !question.dispatchEvent(new CustomEvent("choose", { detail: key, cancelable: true }));
    if (chosen) backToCandidates(this.#form);
    return chosen;
  }

  #letter(letter) {
    return this.#member(this.#form.querySelector(`[data-member][data-letter="${letter}"]`));
  }

  #member(member) {
    const name = ["best", "worst"].includes(this.#current) ? this.#current : "best";
    const input = member?.querySelector(`input[name="${name}"]`);
    input?.focus();
    input?.click();
    return Boolean(input);
  }

  #enterOptions() {
    const question = this.#questions().find((one) => one.dataset.question === this.#current);
    const first = this.#form.querySelector('.candidate[tabindex="0"]')
      ?? question?.querySelector("input:not([type=hidden]):not(:disabled)")
      ?? this.#form.querySelector(`input[name="${CSS.escape(this.#current ?? "")}"]`);
    first?.focus();
    return Boolean(first);
  }
}
