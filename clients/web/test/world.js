// What a page or server is to the library, without one: an edge that answers by script, a clock that stands still until
// somebody waits, chance as given, and a place to keep things.

const START_MS = 1_800_000_000_000;
const real = { setImmediate: globalThis.setImmediate };

export class World {
  requests = [];
  #timers = [];
  #kept = new Map();
  #answers;

  constructor({ answers, random = 0.5, seen }) {
    this.nowMs = START_MS;
    this.#answers = answers;
    if (seen) {
      const ends = Object.entries(seen).map(([name, after]) => [name, after.map((s) => START_MS + s * 1000)]);
      this.#kept.set("service-ad-seen", JSON.stringify(Object.fromEntries(ends)));
    }
    Object.assign(globalThis, {
      fetch: (url, init) => this.#fetch(url, init),
      setTimeout: (done, ms) => this.#timers.push({ at: this.nowMs + ms, done }),
    });
    Object.defineProperty(globalThis, "localStorage", { value: this.#storage(), configurable: true });
    Date.now = () => this.nowMs;
    Math.random = () => random;
  }

  get keptCount() {
    return this.#kept.size;
  }

  at(ms, act) {
    this.#timers.push({ at: START_MS + ms, done: act });
  }

  /** Lets time pass until *promise* is settled. */
  async settle(promise) {
    let settled = false;
    promise.finally(() => (settled = true)).catch(() => undefined);
    for (;;) {
      for (let turn = 0; turn < 5; turn++) await new Promise((done) => real.setImmediate(done));
      if (settled) return promise;
      this.#timers.sort((one, other) => one.at - other.at);
      const next = this.#timers.shift();
      if (!next) throw new Error("nobody waits for anything, and the call does not end");
      this.nowMs = Math.max(this.nowMs, next.at);
      next.done();
    }
  }

  async #fetch(url, init = {}) {
    const { origin, pathname, searchParams } = new URL(url);
    const query = {};
    for (const name of new Set(searchParams.keys())) {
      const values = searchParams.getAll(name);
      query[name] = values.length > 1 ? values : values[0];
    }
    const headers = Object.fromEntries(new Headers(init.headers));
    this.requests.push({ atMs: this.nowMs - START_MS, method: init.method ?? "GET", origin, path: pathname, query, headers, init });
    const queue = this.#answers[pathname.split("/").at(-1)];
    if (!queue?.length) throw new Error(`unexpected: ${url}`);
    const answer = queue.length > 1 ? queue.shift() : queue[0];
    if (answer.fault === "network") throw new TypeError("Failed to fetch");
    if (answer.fault === "timeout") throw new DOMException("signal timed out", "TimeoutError");
    if (answer.fault === "cut")
      return new Response(new ReadableStream({ start: (body) => body.error(new TypeError("terminated")) }));
    const body = answer.text ?? (answer.body && JSON.stringify(answer.body)) ?? null;
    return new Response(body, { status: answer.status, headers: answer.headers });
  }

  #storage() {
    return {
      getItem: (name) => this.#kept.get(name) ?? null,
      setItem: (name, value) => this.#kept.set(name, value),
      removeItem: (name) => this.#kept.delete(name),
    };
  }
}
