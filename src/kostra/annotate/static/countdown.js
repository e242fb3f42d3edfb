// A pause counts down and ends by itself; a wait looks again every minute.

import { say } from "./words.js";

const LOOK_AGAIN = 60000;

/** Start what a place without a form needs; returns a function that stops it. */
export function enhanceWaiting(place, next) {
  for (const time of place.querySelectorAll("[data-local]")) {
    time.textContent = new Date(time.dateTime).toLocaleString(document.documentElement.lang, { dateStyle: "full", timeStyle: "short" });
  }
  const shown = place.querySelector("[data-countdown]");
  if (!shown) {
    if (place.querySelector('[data-kind="waiting"]') === null) return () => {};
    const timer = setInterval(() => document.visibilityState === "visible" && next(), LOOK_AGAIN);
    return () => clearInterval(timer);
  }
  const end = performance.now() + shown.dataset.countdown * 1000;
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    shown.textContent = spoken(left);
    if (left > 0) return;
    clearInterval(timer);
    next();
  };
  const timer = setInterval(tick, 1000);
  tick();
  return () => clearInterval(timer);
}

function spoken(seconds) {
  const [days, hours, minutes] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600), Math.floor(seconds / 60)];
  if (days) return say("days", { days, hours: hours % 24 });
  if (hours) return say("hours", { hours, minutes: minutes % 60 });
  return say("minutes", { minutes, seconds: seconds % 60 });
}
