// What the script says, in the annotator's language: the page carries it (rendering.SCRIPT_WORDS).

/** A sentence by its name, with values filled in: say("pending", { count: 2 }). */
export function say(name, values = {}) {
  const text = document.getElementById("words")?.dataset[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole);
}

/** Tell it in the status line, which screen readers follow. The same words twice are told twice. */
export function tell(text) {
  const status = document.getElementById("status");
  status.textContent = "";
  requestAnimationFrame(() => (status.textContent = text));
}
