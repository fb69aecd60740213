/** Ads for visitors, and what happens to them. */
import { EdgeOperations } from "./operations.js";
import { Transport } from "./transport.js";
/** `key`: a secret key (`sk_`), or a publishable key (`pk_`) of a property with server rendering. */
export class EdgeClient extends EdgeOperations {
    constructor(key, options) {
        super(new Transport(options.edgeUrl, key, ["pk_", "sk_"], 3000, options));
    }
    /** The ad for `visitor` in `slot`, which is a key or an id. The consent of `visitor` is sent every time. */
    async serve(slot, visitor = {}, options = {}) {
        const query = serveQuery([slot], visitor, options);
        const { headers, body } = await this.transport.send(call(query, visitor));
        const ad = body ?? null;
        return {
            ad,
            noFillReason: headers.get("x-no-fill-reason"),
            decisionId: ad?.decision_id ?? headers.get("x-decision-id"),
        };
    }
    /** For two to ten slots of one page, in their order; no advertiser comes twice unless there is no other. */
    async serveSlots(slots, visitor = {}, options = {}) {
        if (slots.length < 2)
            throw new RangeError("serveSlots takes two slots or more. Use serve for one.");
        const query = serveQuery(slots, visitor, options);
        const answer = await this.transport.request(call(query, visitor));
        return answer.data;
    }
    /**
     * Reports `event` of the ad with this `track_token`. It counts once, however often it is sent. `visitor`: who did it;
     * the traffic filter judges by their address and user agent.
     */
    async track(token, event, visitor = {}, conversion = {}) {
        const body = { token, event, ip: visitor.ip, ua: visitor.ua, ...conversion };
        await this.transport.request({ method: "POST", path: "/v1/track", body, repeatable: true });
    }
    /** Up to 50 events at once; one result for each, in their order. A refused event throws nothing. */
    async trackBatch(events) {
        const call = { method: "POST", path: "/v1/track/batch", body: { events }, repeatable: true };
        return (await this.transport.request(call)).results;
    }
}
function call(query, visitor) {
    const headers = visitor.consent?.gpc ? { "Sec-GPC": "1" } : {};
    return { method: "GET", path: "/v1/serve", query, headers, repeatable: true };
}
function serveQuery(slots, visitor, options) {
    const { ip, ua, uid, lang, segments, consent = {} } = visitor;
    const { gpc: _, ...signals } = consent;
    const pairs = new URLSearchParams({ slot: slots.join(",") });
    const single = {
        format: options.format,
        w: options.width,
        h: options.height,
        keywords: options.keywords?.join(",") || undefined,
        surface: options.surface,
        url: options.url,
        preview_ad: options.previewAd,
        debug: options.debug ? "1" : undefined,
        test_scenario: options.testScenario,
        ip,
        ua,
        uid,
        lang,
        segments: segments?.join(",") || undefined,
        ...signals,
    };
    for (const [name, value] of Object.entries(single)) {
        if (value !== undefined)
            pairs.append(name, String(typeof value === "boolean" ? Number(value) : value));
    }
    for (const [name, values] of Object.entries(options.keyValues ?? {})) {
        for (const value of [values].flat())
            pairs.append(`kv.${name}`, value);
    }
    return pairs;
}
