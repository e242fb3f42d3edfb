// Texts: IMPOSSIBLE, rows that appear as they are needed, words of the sentence used and missing, pasted text noticed.

import { say } from "./words.js";

export function enhanceWriting(form, pasted) {
  for (const box of form.querySelectorAll('.impossible input')) enhanceImpossible(box);
  for (const fieldset of form.querySelectorAll("[data-rows]")) enhanceRows(fieldset);
  for (const seed of form.querySelectorAll("[data-seed]")) enhanceSeed(seed);
  for (const field of form.querySelectorAll("textarea, input[type=text]")) {
    field.addEventListener("beforeinput", (event) => {
      if (["insertFromPaste", "insertFromDrop"].includes(event.inputType)) pasted.add(field.dataset.of ?? field.name);
    });
    if (field.matches("textarea") && !CSS.supports("field-sizing", "content")) {
      field.addEventListener("input", () => grow(field));
      grow(field);
    }
  }
}

function grow(field) {
  field.style.blockSize = "auto";
  field.style.blockSize = `${field.scrollHeight + 2}px`;
}

function enhanceImpossible(box) {
  const question = box.closest("[data-question]");
  const draw = () => {
    question.classList.toggle("is-impossible", box.checked);
    for (const field of question.querySelectorAll("textarea, input[type=text], input[type=radio]")) field.disabled = box.checked;
  };
  box.addEventListener("change", draw);
  draw();
}

function enhanceRows(fieldset) {
  const rows = [...fieldset.querySelectorAll("[data-row]")];
  const button = fieldset.querySelector('[data-act="add-row"]');
  const used = (row) => [...row.querySelectorAll("textarea, input, select")].some((field) => field.value.trim());
  const last = rows.findLastIndex(used);
  rows.forEach((row, place) => (row.hidden = place > Math.max(last, 0)));
  const draw = () => (button.hidden = rows.every((row) => !row.hidden));
  button.addEventListener("click", () => {
    const next = rows.find((row) => row.hidden);
    if (!next) return;
    next.hidden = false;
    next.querySelector("textarea").focus();
    draw();
  });
  draw();
}

const WORD = /[\p{L}\p{N}_]+/gu;

function enhanceSeed(seed) {
  const question = seed.closest("[data-question]");
  const field = question.querySelector("textarea");
  const chips = [...seed.querySelectorAll(".word")];
  const draw = () => {
    const left = field.value.toLowerCase().match(WORD) ?? [];
    for (const chip of chips) {
      const place = left.indexOf(chip.dataset.word);
      if (place >= 0) left.splice(place, 1);
      label(chip, place >= 0 ? "used" : "missing");
    }
    for (const old of seed.querySelectorAll(".extra")) old.remove();
    for (const word of left) {
      const chip = document.createElement("span");
      chip.className = "word extra";
      chip.textContent = word;
      label(chip, "new");
      seed.append(chip, " ");
    }
  };
  field.addEventListener("input", draw);
  draw();
}

function label(chip, state) {
  chip.dataset.state = state;
  chip.title = say({ used: "wordsUsed", missing: "wordsMissing", new: "wordsNew" }[state]);
}
