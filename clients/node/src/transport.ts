/** Sends calls over pooled connections, and sends them again where that can help. */

import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

import { errorOf, invalidResponse, NetworkError, RateLimitedError, RequestTimeoutError } from "./errors.js";
import { LONGEST_PAUSE_MS, pauseMs, type Retries, retryAfterMs, USUAL_RETRIES } from "./retries.js";
import { VERSION } from "./version.js";

export const CLIENT = `node/${VERSION}`;

const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

export interface ClientOptions {
  /** For a whole request, its response included. */
  timeoutMs?: number;
  retries?: Partial<Retries>;
  /** Your own `fetch`, with an agent or proxy of yours. The usual one keeps connections open and shares them. */
  fetch?: typeof fetch;
  sleep?: (ms: number) => Promise<unknown>;
  /** Milliseconds of a clock that never goes back. */
  clock?: () => number;
}

export interface Call {
  method: string;
  path: string;
  query?: object;
  body?: object;
  headers?: Record<string, string>;
  /** Sent as `If-Match`. */
  version?: number | undefined;
  /** Of a call that creates. */
  creation?: { idempotencyKey?: string };
  /** Executing it twice changes nothing more than once does. */
  repeatable?: boolean;
}

export interface Answer<T> {
  headers: Headers;
  /** The parsed JSON; undefined where there is none. */
  body: T;
}

interface Page<T> {
  data: readonly T[];
  has_more: boolean;
  next_cursor: string | null;
}

/** One for each key: after a 429, no request is sent with it before the service's pause is over. */
export class Transport {
  readonly sleep: (ms: number) => Promise<unknown>;
  readonly #url: string;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;
  readonly #retries: Retries;
  readonly #fetch: typeof fetch;
  readonly #clock: () => number;
  #pause: { until: number; failure: RateLimitedError } | null = null;

  constructor(url: string, key: string, kinds: readonly string[], usualTimeoutMs: number, options: ClientOptions) {
    if (!kinds.some((kind) => key.startsWith(kind))) {
      throw new TypeError(`The key must begin with one of ${kinds.join(", ")}. Got ${key.slice(0, 3)}…`);
    }
    this.#url = url.replace(/\/+$/, "");
    this.#headers = {
      ...(key.startsWith("pk_") ? { "X-Service-Key": key } : { Authorization: `Bearer ${key}` }),
      "X-Placard-Client": CLIENT,
      "User-Agent": `placard-${CLIENT}`,
      Accept: "application/json",
    };
    this.#timeoutMs = options.timeoutMs ?? usualTimeoutMs;
    this.#retries = { ...USUAL_RETRIES, ...options.retries };
    this.#fetch = options.fetch ?? fetch;
    this.sleep = options.sleep ?? wait;
    this.#clock = options.clock ?? (() => performance.now());
  }

  /** Throws `PlacardError`. */
  async send<T>(call: Call): Promise<Answer<T>> {
    const url = this.#url + call.path + queryText(call.query);
    const init: RequestInit = { method: call.method, headers: this.#headersOf(call), redirect: "manual" };
    if (call.body !== undefined) init.body = JSON.stringify(call.body);
    for (let retried = 0; ; retried++) {
      await this.#awaitPause();
      try {
        return await this.#sendOnce<T>(url, init);
      } catch (failure) {
        if (failure instanceof RateLimitedError) {
          this.#pause = { until: this.#clock() + retryAfterMs(failure), failure };
        }
        const pause = pauseMs(this.#retries, failure, retried, call.repeatable ?? false);
        if (pause === null) throw failure;
        await this.sleep(pause);
      }
    }
  }

  /** The body of the response. */
  async request<T>(call: Call): Promise<T> {
    return (await this.send<T>(call)).body;
  }

  /** The items of all pages. A page is requested when the one before is used up. */
  async *items<T>(path: string, query: object): AsyncGenerator<T, void, undefined> {
    let cursor: string | null | undefined;
    for (;;) {
      const wanted = cursor === undefined ? query : { ...query, cursor };
      const page: Page<T> = await this.request({ method: "GET", path, query: wanted, repeatable: true });
      yield* page.data;
      if (!page.has_more) return;
      cursor = page.next_cursor;
    }
  }

  #headersOf({ headers, body, version, creation }: Call): Record<string, string> {
    return {
      ...this.#headers,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(version === undefined ? {} : { "If-Match": String(version) }),
      // Made once for each call, so that its attempts are one call to the service.
      ...(creation === undefined ? {} : { "Idempotency-Key": creation.idempotencyKey ?? randomUUID() }),
      ...headers,
    };
  }

  async #sendOnce<T>(url: string, init: RequestInit): Promise<Answer<T>> {
    let response: Response;
    let text: string;
    try {
      response = await this.#fetch(url, { ...init, signal: AbortSignal.timeout(this.#timeoutMs) });
      text = await response.text();
    } catch (failure) {
      throw networkError(failure, this.#url);
    }
    const body = parse(text);
    if (!response.ok) throw errorOf(response, body);
    if (text !== "" && body === undefined) {
      const requestId = response.headers.get("x-request-id");
      const fields = { status: response.status, requestId, param: null, details: [], retryAfterMs: null };
      throw invalidResponse(response.status, fields);
    }
    return { headers: response.headers, body: body as T };
  }

  async #awaitPause(): Promise<void> {
    while (this.#pause !== null) {
      const { until, failure } = this.#pause;
      const left = until - this.#clock();
      if (left > LONGEST_PAUSE_MS) throw failure;
      if (left > 0) await this.sleep(left);
      else if (this.#pause.until === until) this.#pause = null;
    }
  }
}

/** Without what is undefined or null; lists are comma-separated. */
function queryText(query: object | undefined): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of query instanceof URLSearchParams ? query : Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) pairs.append(name, String(value));
  }
  return pairs.size === 0 ? "" : `?${pairs}`;
}

function networkError(failure: unknown, address: string): NetworkError {
  if ((failure as Error).name === "TimeoutError") {
    return new RequestTimeoutError(`${address} did not respond in time.`, failure);
  }
  const cause = (failure as { cause?: { code?: string; message?: string } }).cause;
  const wasSent = !NOT_CONNECTED.has(cause?.code ?? "");
  return new NetworkError(`No response from ${address}: ${cause?.message ?? String(failure)}`, wasSent, failure);
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
