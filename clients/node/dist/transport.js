/** Sends calls over pooled connections, and sends them again where that can help. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { errorOf, invalidResponse, NetworkError, RateLimitedError, RequestTimeoutError } from "./errors.js";
import { LONGEST_PAUSE_MS, pauseMs, retryAfterMs, USUAL_RETRIES } from "./retries.js";
import { VERSION } from "./version.js";
export const CLIENT = `node/${VERSION}`;
const NOT_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);
/** One for each key: after a 429, no request is sent with it before the service's pause is over. */
export class Transport {
    sleep;
    #url;
    #headers;
    #timeoutMs;
    #retries;
    #fetch;
    #clock;
    #pause = null;
    constructor(url, key, kinds, usualTimeoutMs, options) {
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
    async send(call) {
        const url = this.#url + call.path + queryText(call.query);
        const init = { method: call.method, headers: this.#headersOf(call), redirect: "manual" };
        if (call.body !== undefined)
            init.body = JSON.stringify(call.body);
        for (let retried = 0;; retried++) {
            await this.#awaitPause();
            try {
                return await this.#sendOnce(url, init);
            }
            catch (failure) {
                if (failure instanceof RateLimitedError) {
                    this.#pause = { until: this.#clock() + retryAfterMs(failure), failure };
                }
                const pause = pauseMs(this.#retries, failure, retried, call.repeatable ?? false);
                if (pause === null)
                    throw failure;
                await this.sleep(pause);
            }
        }
    }
    /** The body of the response. */
    async request(call) {
        return (await this.send(call)).body;
    }
    /** The items of all pages. A page is requested when the one before is used up. */
    async *items(path, query) {
        let cursor;
        for (;;) {
            const wanted = cursor === undefined ? query : { ...query, cursor };
            const page = await this.request({ method: "GET", path, query: wanted, repeatable: true });
            yield* page.data;
            if (!page.has_more)
                return;
            cursor = page.next_cursor;
        }
    }
    #headersOf({ headers, body, version, creation }) {
        return {
            ...this.#headers,
            ...(body === undefined ? {} : { "Content-Type": "application/json" }),
            ...(version === undefined ? {} : { "If-Match": String(version) }),
            // Made once for each call, so that its attempts are one call to the service.
            ...(creation === undefined ? {} : { "Idempotency-Key": creation.idempotencyKey ?? randomUUID() }),
            ...headers,
        };
    }
    async #sendOnce(url, init) {
        let response;
        let text;
        try {
            response = await this.#fetch(url, { ...init, signal: AbortSignal.timeout(this.#timeoutMs) });
            text = await response.text();
        }
        catch (failure) {
            throw networkError(failure, this.#url);
        }
        const body = parse(text);
        if (!response.ok)
            throw errorOf(response, body);
        if (text !== "" && body === undefined) {
            const requestId = response.headers.get("x-request-id");
            const fields = { status: response.status, requestId, param: null, details: [], retryAfterMs: null };
            throw invalidResponse(response.status, fields);
        }
        return { headers: response.headers, body: body };
    }
    async #awaitPause() {
        while (this.#pause !== null) {
            const { until, failure } = this.#pause;
            const left = until - this.#clock();
            if (left > LONGEST_PAUSE_MS)
                throw failure;
            if (left > 0)
                await this.sleep(left);
            else if (this.#pause.until === until)
                this.#pause = null;
        }
    }
}
/** Without what is undefined or null; lists are comma-separated. */
function queryText(query) {
    const pairs = new URLSearchParams();
    for (const [name, value] of query instanceof URLSearchParams ? query : Object.entries(query ?? {})) {
        if (value !== undefined && value !== null)
            pairs.append(name, String(value));
    }
    return pairs.size === 0 ? "" : `?${pairs}`;
}
function networkError(failure, address) {
    if (failure.name === "TimeoutError") {
        return new RequestTimeoutError(`${address} did not respond in time.`, failure);
    }
    const cause = failure.cause;
    const wasSent = !NOT_CONNECTED.has(cause?.code ?? "");
    return new NetworkError(`No response from ${address}: ${cause?.message ?? String(failure)}`, wasSent, failure);
}
function parse(text) {
    try {
        return text === "" ? undefined : JSON.parse(text);
    }
    catch {
        return undefined;
    }
}
