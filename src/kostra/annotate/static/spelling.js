// Marks under words that the project's dictionary does not know, while one types.

import { call } from "./api.js";
import { say } from "./words.js";

const SOON = 500;

export function enhanceSpelling(form) {
  for (const holder of form.querySelectorAll("[data-spelling]")) {
    const field = holder.querySelector("textarea");
    const mirror = document.createElement("div");
    mirror.className = "mirror";
    mirror.dir = "auto";
    mirror.setAttribute("aria-hidden", "true");
    holder.append(mirror);
    const told = document.createElement("p");
    told.className = "under";
    told.hidden = true;
    holder.after(told);
    let timer = null;
    const check = async () => {
      const text = field.value;
      const found = text.trim() ? await misspelt(form, text) : [];
      if (text !== field.value) return; // typed on meanwhile: another check is on its way
      mirror.replaceChildren(...marked(text, found));
      told.hidden = !found.length;
      told.textContent = found.length ? say("misspelt", { words: found.map((one) => one.word).join(", ") }) : "";
    };
    field.addEventListener("input", () => {
      mirror.replaceChildren();
      clearTimeout(timer);
      timer = setTimeout(check, SOON);
    });
    field.addEventListener("scroll", () => (mirror.scrollTop = field.scrollTop));
    if (field.value) check();
  }
}

async function misspelt(form, text) {
  try {
    const { status, data } = await call("POST", "spelling", { text, phase: form.dataset.phase });
    return status < 300 && Array.isArray(data) ? data : [];
  } catch {
    return []; // marks are a help, not a condition
  }
}

function marked(text, found) {
  const parts = [];
  let end = 0;
  for (const one of found) {
    const mark = document.createElement("span");
    mark.className = "misspelt";
    mark.textContent = text.slice(one.start, one.end);
    parts.push(text.slice(end, one.start), mark);
    end = one.end;
  }
  return [...parts, text.slice(end)];
}
