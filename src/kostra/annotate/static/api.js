// The site's own API. Whatever may be cured by trying again later is `Unreachable`.

export class Unreachable extends Error {}

const LATER = new Set([408, 425, 429]);

/** Call the API: {status, data}. Answers outside 200–299 that no repetition will change are returned as well. */
export async function call(method, path, body, { keepalive = false } = {}) {
  let response;
  try {
    response = await fetch(`/api/v1/${path}`, {
      method,
      keepalive,
      credentials: "same-origin",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-Kostra-Html": "1" },
      body: JSON.stringify(body),
      signal: keepalive ? undefined : AbortSignal.timeout(20000),
    });
  } catch {
    throw new Unreachable();
  }
  if (response.status >= 500 || LATER.has(response.status)) throw new Unreachable();
  const data = await response.json().catch(() => null);
  // A hotel's login page is not our site: what is not JSON has not reached us.
  if (data === null) throw new Unreachable();
  return { status: response.status, data };
}

/** Why the site refused something, in its own words, if it said so. */
export function reason(data) {
  const said = data.error ?? data.detail;
  return typeof said === "string" ? said : Object.values(data.errors ?? {})[0];
}
