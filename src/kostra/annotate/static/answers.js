// A form as answers and back, by the rules of tasks/forms.py: `question`, `question.N`, `question.impossible`.

const HIDDEN = new Set(["phase", "item", "version", "key", "language", "csrf"]);

/** The answers that a form holds: question → text, list, or {impossible: true}. */
export function collect(form) {
  const several = new Set([...form.querySelectorAll('[data-form="several"]')].map((one) => one.dataset.question));
  const given = {};
  for (const [name, value] of new FormData(form)) {
    const [question, part] = name.split(".");
    if (HIDDEN.has(name)) continue;
    if (part === "impossible") given[question] = { impossible: true };
    else if (part) (given[question] ??= [])[part - 1] = value;
    else if (several.has(question)) (given[question] ??= []).push(value);
    else given[question] = value;
  }
  for (const rows of Object.values(given)) {
    if (Array.isArray(rows)) for (let row = 0; row < rows.length; row++) rows[row] ??= "";
  }
  return given;
}

/** Whether something was answered. */
export function answered(value) {
  if (Array.isArray(value)) return value.some(answered);
  if (value && typeof value === "object") return value.impossible === true;
  return value !== undefined && value !== null && String(value).trim() !== "";
}

/** The questions that still need an answer: [[name, message], …], in the order of the screen. */
export function missing(form, given = collect(form)) {
  return [...form.querySelectorAll("[data-question][data-required]")]
    .filter((one) => !one.hidden && !answered(given[one.dataset.question]))
    .filter((one) => !one.dataset.about || answered(given[one.dataset.about]) || !asked(form, one.dataset.about))
    .map((one) => [one.dataset.question, one.dataset.missing]);
}

function asked(form, name) {
  return form.querySelector(`[data-question="${CSS.escape(name)}"]`) !== null;
}

/** Put answers into a form: a draft that was kept on this device. */
export function fill(form, given) {
  for (const field of form.elements) {
    const [question, part] = field.name.split(".");
    if (!question || HIDDEN.has(field.name) || field.type === "hidden" || !(question in given)) continue;
    const value = given[question];
    if (part === "impossible") field.checked = value?.impossible === true;
    else if (field.type === "radio" || field.type === "checkbox") field.checked = [value].flat().map(String).includes(field.value);
    else if (part) field.value = value?.[part - 1] ?? "";
    else if (typeof value === "string") field.value = value;
  }
}

/** Show messages at their fields, and take away those of before. Returns the first field that is wrong. */
export function showErrors(form, errors) {
  for (const old of form.querySelectorAll("[data-error]")) {
    const message = errors[old.dataset.error];
    old.textContent = message ?? "";
    old.hidden = !message;
  }
  for (const one of form.querySelectorAll("[aria-invalid]")) one.removeAttribute("aria-invalid");
  let first = null;
  for (const name of Object.keys(errors)) {
    const field = form.querySelector(`[data-question="${CSS.escape(name)}"]`);
    const input = form.querySelector(`textarea[name="${CSS.escape(name)}"], input[name="${CSS.escape(name)}"]:not([type="hidden"]), [data-question="${CSS.escape(name)}"] input`);
    (input?.matches("textarea, input[type=text]") ? input : field)?.setAttribute("aria-invalid", "true");
    const row = input?.closest("[data-row]");
    if (row) row.hidden = false;
    first ??= input ?? field;
  }
  return first;
}
