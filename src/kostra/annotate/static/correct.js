// Correcting: what changed is shown while one types, and only what changed is asked about.

import { say } from "./words.js";

export function enhanceCorrect(form) {
  for (const field of form.querySelectorAll("textarea[data-before]")) {
    const told = document.createElement("p");
    told.className = "live-difference";
    told.dir = "auto";
    told.setAttribute("aria-live", "off");
    field.closest(".field").after(told);
    const about = form.querySelectorAll(`[data-about="${CSS.escape(field.name)}"]`);
    const draw = () => {
      const before = plain(field.dataset.before);
      const after = plain(field.value);
      const same = before === after;
      told.classList.toggle("none", same);
      told.replaceChildren(...(same ? [say("unchanged")] : difference(before, after).map(drawn)));
      for (const question of about) {
        question.hidden = same;
        for (const input of question.querySelectorAll("input")) input.disabled = same;
      }
    };
    field.addEventListener("input", draw);
    draw();
  }
}

const plain = (text) => text.normalize("NFC").split(/\s+/).filter(Boolean).join(" ");
const PIECES = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;

/** What changed, word by word: [[text, "" | "del" | "ins"], …], by the longest common subsequence. */
export function difference(before, after) {
  const [old, young] = [before.match(PIECES) ?? [], after.match(PIECES) ?? []];
  const longest = Array.from({ length: old.length + 1 }, () => new Uint16Array(young.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      longest[i][j] = old[i] === young[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
    }
  }
  const parts = [];
  const add = (text, mark) => (parts.at(-1)?.[1] === mark ? (parts.at(-1)[0] += text) : parts.push([text, mark]));
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    if (i < old.length && j < young.length && old[i] === young[j]) (add(old[i], ""), i++, j++);
    else if (i < old.length && (j >= young.length || longest[i + 1][j] >= longest[i][j + 1])) add(old[i++], "del");
    else add(young[j++], "ins");
  }
  return parts;
}

function drawn([text, mark]) {
  if (!mark) return text;
  const node = document.createElement(mark);
  node.textContent = text;
  return node;
}
