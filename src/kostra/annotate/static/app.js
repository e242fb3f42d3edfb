// The annotator's page: answers are sent without leaving it, and the next item is swapped in.

import { Unreachable, call, reason } from "./api.js";
import { collect, fill, missing, showErrors } from "./answers.js";
import { enhanceBestWorst } from "./best_worst.js";
import { Clock } from "./clock.js";
import { enhanceCorrect } from "./correct.js";
import { enhanceWaiting } from "./countdown.js";
import { setUpDialogs } from "./dialogs.js";
import { Drafts } from "./drafts.js";
import { Keys } from "./keys.js";
import { enhancePick } from "./pick.js";
import { Queue } from "./queue.js";
import { enhanceSliders } from "./slider.js";
import { enhanceSpelling } from "./spelling.js";
import { Storage } from "./storage.js";
import { say, tell } from "./words.js";
import { enhanceWriting } from "./writing.js";

const main = document.getElementById("place");
const banner = document.getElementById("connection");
const storage = new Storage(document.body.dataset.owner);
const clock = new Clock();
const drafts = new Drafts(storage, clock, { saved: () => note(say("drafted")) });
const keys = new Keys(storage);
const queue = new Queue(storage, { sent, refused, changed });
let pasted = new Set();
let stopWaiting = () => {};

const answerForm = () => document.getElementById("answer");

/** Make a fresh fragment work. */
function mount() {
  stopWaiting();
  stopWaiting = enhanceWaiting(main, next);
  const form = answerForm();
  const kept = form && drafts.kept(form);
  pasted = new Set(kept?.pasted);
  clock.restart(kept?.seconds);
  if (form) {
    if (kept) fill(form, kept.given);
    enhanceSliders(form);
    enhanceBestWorst(form);
    enhancePick(form, { current: () => keys.current });
    enhanceWriting(form, pasted);
    enhanceCorrect(form);
    enhanceSpelling(form);
    drafts.watch(form, pasted);
    form.addEventListener("submit", submit);
    for (const hint of form.querySelectorAll("[data-key-hint]")) if (form.querySelector("textarea")) hint.textContent = "Ctrl Enter";
    for (const context of form.querySelectorAll(".context")) showKeySentence(context);
  }
  keys.take(form);
}

/** The key sentence of a long context stands in the middle of what is seen of it. */
function showKeySentence(context) {
  const key = context.querySelector("mark.key");
  if (key) context.scrollTop = key.offsetTop - context.offsetTop - (context.clientHeight - key.offsetHeight) / 2;
}

/** Swap the next fragment in, and bring everybody to its beginning. */
function show(html) {
  if (typeof html !== "string") return location.reload();
  drafts.stop();
  main.innerHTML = html;
  mount();
  scrollTo(0, 0);
  (document.getElementById("heading") ?? main).focus({ preventScroll: true });
}

function submit(event) {
  const form = event.target;
  const act = event.submitter?.dataset.act;
  event.preventDefault();
  if (act === "undo" || act === "skip") return; // the click was taken care of
  if (isBusy()) return;
  const given = collect(form);
  const open = missing(form, given);
  const first = showErrors(form, Object.fromEntries(open));
  if (open.length) {
    tell(say("mend"));
    first?.focus();
    return;
  }
  const { phase, item, version, key } = form.dataset;
  const notes = pasted.size ? { pasted: [...pasted] } : {};
  const language = form.elements.language.value;
  busy(true);
  tell(say("sending"));
  queue.add({ phase, item, version: Number(version), answers: given, key, seconds: clock.seconds, language, notes });
}

function sent(entry, data) {
  drafts.forget(entry);
  tell(say(data.feedback?.right ? "right" : banner.hidden ? "saved" : "stored"));
  if (!queue.count) show(data.html);
}

/** An answer that the site will never take: mended here if its form is still open, otherwise told. */
function refused(entry, data) {
  const form = answerForm();
  if (data.errors && form?.dataset.key === entry.key) {
    busy(false);
    tell(say("mend"));
    showErrors(form, data.errors)?.focus();
    return;
  }
  drafts.forget(entry);
  tell(say("refused", { reason: reason(data) ?? "" }));
  if (!queue.count) next();
}

function changed(count, why) {
  banner.hidden = !why || !count;
  if (!banner.hidden) {
    banner.querySelector("p").textContent = say(why === "session" ? "session" : "pending", { count });
    tell("");
  }
}

function busy(is) {
  main.querySelector(".place")?.setAttribute("aria-busy", String(is));
  const form = answerForm();
  if (form) form.inert = is;
}

function isBusy() {
  return main.querySelector('.place[aria-busy="true"]') !== null;
}

function note(text) {
  const place = main.querySelector("[data-saved]");
  if (place) place.textContent = text;
}

/** Ask the site for something else than an answer: what comes next, the last item again, another item. */
async function ask(path, body, words) {
  if (isBusy()) return;
  busy(true);
  try {
    const { status, data } = await call("POST", path, body);
    if (status >= 300) {
      busy(false);
      tell(reason(data) ?? say("failed"));
      return;
    }
    show(data.html);
    if (words) tell(words);
  } catch (error) {
    busy(false);
    if (!(error instanceof Unreachable)) throw error;
    tell(say("failed"));
  }
}

const next = () => ask("next", {});

document.addEventListener("click", (event) => {
  const act = event.target.closest("[data-act]")?.dataset.act;
  const acts = {
    next,
    undo: () => ask("undo", {}, say("undone")),
    skip: () => ask("skip", { key: answerForm()?.dataset.key }),
    retry: () => queue.flush(),
  };
  if (!(act in acts)) return;
  event.preventDefault();
  acts[act]();
});
addEventListener("beforeunload", (event) => queue.count && event.preventDefault());

document.documentElement.classList.add("script");
setUpDialogs(storage, {
  place: () => ({ phase: answerForm()?.dataset.phase ?? "", item: answerForm()?.dataset.item ?? "" }),
});
mount();
if (queue.count) {
  busy(true);
  queue.flush();
}
