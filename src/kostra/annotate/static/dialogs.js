// Help, problem reports and suggestions: pages of their own without the script, dialogs with it.

import { ROOT, call, reason } from "./api.js";
import { say, tell } from "./words.js";

export function setUpDialogs(storage, { place }) {
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-dialog]");
    if (opener && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      open(opener.dataset.dialog);
    }
    if (event.target.closest('dialog [data-act="close"]')) event.target.closest("dialog").close();
  });
  const shortcuts = document.querySelector('[data-act="shortcuts"]');
  shortcuts.checked = storage.read("shortcuts", true);
  shortcuts.addEventListener("change", () => storage.write("shortcuts", shortcuts.checked));
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.dataset.form === "problem") send(event, "problems", { ...place(), text: form.elements.text.value });
    if (form.dataset.form === "suggestion") {
      const { side, text } = form.elements;
      send(event, "suggestions", { ...place(), side: side.value, text: text.value });
    }
  });
  document.addEventListener("change", (event) => {
    // The sentence to be worded better is there to be edited.
    if (event.target.name !== "side" || !event.target.dataset.text) return;
    event.target.form.elements.text.value = event.target.dataset.text;
  });
}

export function open(name) {
  const dialog = document.getElementById(name);
  dialog.showModal();
  if (name === "help") fillHelp(dialog.querySelector("[data-help]"));
}

/** The instructions of the phase at hand, as far as the site can be reached. */
async function fillHelp(holder) {
  try {
    const response = await fetch(`${ROOT}/work/help`, { headers: { "X-Kostra-Html": "1" }, credentials: "same-origin" });
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.querySelector('[data-fragment="help"]');
    if (response.ok && found) holder.replaceChildren(...found.childNodes);
  } catch {
    // the keys are there anyway
  }
}

async function send(event, path, body) {
  event.preventDefault();
  const form = event.target;
  try {
    const { status, data } = await call("POST", path, body);
    if (status >= 300) return tell(reason(data) ?? say("failed"));
  } catch {
    return tell(say("failed"));
  }
  form.reset();
  form.closest("dialog")?.close();
  form.closest("details")?.removeAttribute("open");
  return tell(say("reported"));
}
