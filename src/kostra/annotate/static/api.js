// The site's own API. Whatever may be cured by trying again later is `Unreachable`.

export class Unreachable extends Error {}

/** What stands before every path of the site, where a proxy serves it under one of its own. */
export const ROOT = document.body.dataset.root ?? "";

const LATER = new Set([408, 421, 425, 429]);
let csrf = document.body.dataset.csrf ?? "";

/** Call the API: {status, data}. Answers outside 200–299 that no repetition will change are returned as well. */
export async function call(method, path, body, { keepalive = false } = {}) {
  let { response, data } = await send(method, path, body, keepalive);
  if (response.status === 403 && !keepalive && (await renewed())) {
    ({ response, data } = await send(method, path, body, keepalive));
  }
  // Refused again, it is not the fault of what was sent: it is kept, and sent later.
  if (response.status === 403) throw new Unreachable();
  return { status: response.status, data };
}

async function send(method, path, body, keepalive) {
  const response = await reach(path, {
    method,
    keepalive,
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-Kostra-Html": "1", "X-Kostra-Csrf": csrf },
    body: JSON.stringify(body),
    signal: keepalive ? undefined : AbortSignal.timeout(20000),
  });
  if (response.status >= 500 || LATER.has(response.status)) throw new Unreachable();
  const data = await response.json().catch(() => null);
  // A hotel's login page is not our site: what is not JSON has not reached us.
  if (data === null) throw new Unreachable();
  return { response, data };
}

/** Whoever has come in again since the page was loaded has another session: learn what its requests carry. */
async function renewed() {
  const response = await reach("session", { signal: AbortSignal.timeout(20000) });
  const data = response.ok ? await response.json().catch(() => null) : null;
  // Somebody else may have come in at this computer: what stands on this page is not theirs to send.
  if (!data?.csrf || data.owner !== document.body.dataset.owner) return false;
  csrf = data.csrf;
  return true;
}

async function reach(path, options) {
  try {
    return await fetch(`${ROOT}/api/v1/${path}`, { credentials: "same-origin", ...options });
  } catch {
    throw new Unreachable();
  }
}

/** Why the site refused something, in its own words, if it said so. */
export function reason(data) {
  const said = data.error ?? data.detail;
  return typeof said === "string" ? said : Object.values(data.errors ?? {})[0];
}
