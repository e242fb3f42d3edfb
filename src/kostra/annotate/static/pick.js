// Picking sentences from documents: a click on a sentence answers the question at hand, arrows move among sentences,
// and the rating of a picked sentence stands right below it.

import { say, tell } from "./words.js";

export function enhancePick(form, { current }) {
  const candidates = [...form.querySelectorAll(".candidate")];
  if (!candidates.length) return;
  const picks = [...form.querySelectorAll(".pick")];
  const homes = new Map(picks.map((pick) => [pick.dataset.question, [...pick.querySelectorAll(".question")]]));

  const draw = () => {
    for (const candidate of candidates) candidate.classList.toggle("is-picked", candidate.querySelector(":checked") !== null);
    for (const pick of picks) {
      const name = pick.dataset.question;
      const chosen = form.querySelector(`.candidate input[name="${CSS.escape(name)}"]:checked`)?.closest(".candidate");
      pick.querySelector("[data-picked]").textContent = chosen?.querySelector(".sentence").textContent ?? "";
      for (const question of homes.get(name)) {
        question.hidden = !chosen;
        if (!chosen) pick.append(question);
        else if (question.parentElement !== chosen.nextElementSibling) below(chosen, name).append(question);
      }
    }
    for (const place of form.querySelectorAll(".rated")) if (!place.children.length) place.remove();
  };
  form.addEventListener("change", (event) => {
    if (event.target.closest(".candidate")) takeBack(form, event.target);
    draw();
  });
  for (const [place, candidate] of candidates.entries()) {
    candidate.tabIndex = place ? -1 : 0;
    candidate.querySelector(".sentence").addEventListener("click", () => {
      if (getSelection().isCollapsed) choose(candidate, current());
    });
    candidate.addEventListener("keydown", (event) => {
      if (event.target !== candidate || event.ctrlKey || event.altKey || event.metaKey) return;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) move(candidates, place + step);
      else if (event.key === " ") choose(candidate, current());
      else if (!byKey(candidate, event.key)) return;
      event.preventDefault();
      event.stopPropagation();
    });
  }
  draw();

  function byKey(candidate, key) {
    const toggle = candidate.querySelector(`.toggle[data-key="${CSS.escape(key)}"] input`);
    toggle?.click();
    if (toggle) focusRating(toggle.name);
    return toggle !== null;
  }

  function choose(candidate, question) {
    const name = picks.some((pick) => pick.dataset.question === question) ? question : firstOpen();
    candidate.querySelector(`input[name="${CSS.escape(name)}"]`)?.click();
  }

  function firstOpen() {
    const open = picks.find((pick) => !form.querySelector(`.candidate input[name="${CSS.escape(pick.dataset.question)}"]:checked`));
    return (open ?? picks[0]).dataset.question;
  }

  function focusRating(name) {
    const rating = homes.get(name).find((question) => !question.hidden);
    rating?.querySelector("input:not([type=hidden]), textarea")?.focus();
    const pick = picks.find((one) => one.dataset.question === name);
    tell(say("chosen", { name: pick.dataset.short, text: pick.querySelector("[data-picked]").textContent }));
  }
}

/** Back among the sentences, where one was left. */
export function backToCandidates(form) {
  form.querySelector('.candidate[tabindex="0"]')?.focus();
}

function below(candidate, name) {
  let place = candidate.nextElementSibling;
  if (!place?.classList.contains("rated")) {
    place = document.createElement("li");
    place.className = "rated";
    candidate.after(place);
  }
  place.dataset.of = name;
  return place;
}

/** One sentence answers one question: what it answered before is open again. */
function takeBack(form, input) {
  for (const other of input.closest(".candidate").querySelectorAll("input:checked")) {
    if (other !== input) other.checked = false;
  }
}

function move(candidates, place) {
  const wanted = candidates[Math.max(0, Math.min(place, candidates.length - 1))];
  for (const candidate of candidates) candidate.tabIndex = candidate === wanted ? 0 : -1;
  wanted.focus();
}
