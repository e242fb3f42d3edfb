// A scale as a slider that has no answer until it is touched. Without the script it is a row of buttons.

import { say } from "./words.js";

const MOST_TICKS = 12;

export function enhanceSliders(form) {
  for (const fieldset of form.querySelectorAll('[data-control="slider"][data-form="scale"]')) makeSlider(fieldset);
}

function makeSlider(fieldset) {
  const holder = fieldset.querySelector(".options");
  const options = [...holder.querySelectorAll(".option")].map((option) => ({
    value: option.querySelector("input").value,
    key: option.dataset.key,
    number: option.querySelector(".number")?.textContent ?? "",
    label: option.querySelector(".label")?.textContent ?? "",
    checked: option.querySelector("input").checked,
  }));
  const name = fieldset.dataset.question;
  const start = options.findIndex((option) => option.checked);

  const slider = document.createElement("div");
  slider.className = "slider untouched";
  const range = document.createElement("input");
  Object.assign(range, { type: "range", min: 0, max: options.length - 1, step: 1 });
  range.value = start < 0 ? Math.floor((options.length - 1) / 2) : start;
  range.setAttribute("aria-label", fieldset.querySelector("legend").textContent.trim());
  range.setAttribute("aria-describedby", `e-${name}`);
  const answer = document.createElement("input");
  Object.assign(answer, { type: "hidden", name, disabled: true });
  const told = document.createElement("output");
  told.setAttribute("aria-hidden", "true");
  const ticks = document.createElement("div");
  ticks.className = "ticks";
  ticks.setAttribute("aria-hidden", "true");
  if (options.length <= MOST_TICKS) ticks.append(...options.map((option) => tick(option.number)));
  const ends = document.createElement("div");
  ends.className = "ends";
  const numbered = options.length > MOST_TICKS;
  ends.append(end(options[0], numbered), end(options.at(-1), numbered));
  slider.append(told, range, ticks, ends, answer);
  holder.replaceWith(slider);

  const show = () => {
    const option = options[range.value];
    const text = answer.disabled ? say("untouched") : [option.number, option.label].filter(Boolean).join(" · ");
    told.textContent = text;
    range.setAttribute("aria-valuetext", text);
  };
  const touch = () => {
    const before = answer.disabled ? null : answer.value;
    slider.classList.remove("untouched");
    answer.disabled = false;
    answer.value = options[range.value].value;
    show();
    if (before !== answer.value) answer.dispatchEvent(new Event("change", { bubbles: true }));
  };
  range.addEventListener("input", touch);
  // A click exactly where the thumb waits moves nothing, and is an answer all the same; so is a space.
  range.addEventListener("click", touch);
  range.addEventListener("keydown", (event) => event.key === " " && (event.preventDefault(), touch()));
  fieldset.addEventListener("choose", (event) => {
    const place = options.findIndex((option) => option.key === event.detail);
    if (place < 0) return;
    range.value = place;
    touch();
    event.preventDefault();
  });
  if (start < 0) show();
  else touch();
}

function tick(number) {
  const span = document.createElement("span");
  span.textContent = number;
  return span;
}

function end(option, numbered) {
  const span = document.createElement("span");
  span.dir = "auto";
  span.textContent = [numbered && option.number, option.label].filter(Boolean).join(" · ");
  return span;
}
