/**
 * Runs the library as a program of its user would, for the tests of this repository: one JSON command a line on standard
 * input, one JSON answer a line on standard output.
 */

import { createInterface } from "node:readline";

import {
  ApiError,
  ConflictError,
  CursorFile,
  EdgeClient,
  InvalidRequestError,
  ManagementClient,
  PlacardError,
} from "../dist/index.js";

let edge;
let management;
let pauses = [];
let now = 0;
let duringPause = null;

const commands = {
  /** `virtual`: pauses are noted, not slept, and chance is `random`; `timeout_ms` is real time. */
  async open(command) {
    const own = command.virtual
      ? {
          timeoutMs: command.timeout_ms,
          retries: { random: () => command.random ?? 0.5 },
          clock: () => now,
          async sleep(ms) {
            const until = now + ms;
            pauses.push(Math.round(ms));
            const begin = duringPause;
            duringPause = null;
            await begin?.();
            now = Math.max(now, until);
          },
        }
      : {};
    if (command.edge_url) edge = new EdgeClient(command.edge_key, { edgeUrl: command.edge_url, ...own });
    if (command.base_url) management = new ManagementClient(command.management_key, { baseUrl: command.base_url, ...own });
    return { status: "ok" };
  },

  async serve({ request, consent }) {
    const { slot, ip, ua, uid, lang, key_values, test_scenario, ...options } = request;
    const person = Object.fromEntries(Object.entries({ ip, ua, uid, lang, consent }).filter(([, value]) => value));
    const named = { keyValues: key_values, testScenario: test_scenario, ...options };
    const decision = await edge.serve(slot, person, named);
    if (decision.ad) return { status: "filled", ad: decision.ad };
    return { status: "no_fill", reason: decision.noFillReason, decision_id: decision.decisionId };
  },

  /** Two calls of `serve`: the second begins in the first pause of the first, at its `at_ms`. */
  async together({ calls: [first, second] }) {
    const start = now;
    const run = async (call) => {
      const outcome = await answer({ ...call, do: "serve" });
      return { ...outcome, ended_ms: Math.round(now - start) };
    };
    let other = null;
    duringPause = async () => {
      now += second.at_ms;
      other = await run(second);
    };
    const outcome = await run(first);
    return { status: "ok", outcomes: [outcome, other] };
  },

  async serve_slots({ slots }) {
    return { status: "ok", answers: await edge.serveSlots(slots) };
  },

  async track({ token, event, ip, ua, conversion }) {
    await edge.track(token, event, { ip, ua }, conversion);
    return { status: "counted" };
  },

  async track_batch({ events }) {
    return { status: "ok", results: await edge.trackBatch(events) };
  },

  async convert({ body, idempotency_key: idempotencyKey }) {
    return { status: "ok", ...(await edge.reportConversion(body, { idempotencyKey })) };
  },

  async verify({ click_id }) {
    return { status: "ok", ...(await edge.verifyClick({ click_id })) };
  },

  async email({ email }) {
    return { status: "ok", ...(await edge.prepareEmail(email)) };
  },

  async stitch({ stitch }) {
    return { status: "ok", ...(await edge.stitchAudio(stitch)) };
  },

  async rotate({ key_id }) {
    return { status: "ok", key: (await management.sdkKeys.rotate(key_id)).key };
  },

  async pause({ campaign_id }) {
    return { status: "ok", campaign: await management.campaigns.pause(campaign_id) };
  },

  /** The ids of the next `count` events, and one more so that their page is handled. */
  async events({ cursor_file, count }) {
    const ids = [];
    const options = { limit: 1, pollMs: 50, kind: "impression" };
    for await (const event of management.events.follow(new CursorFile(cursor_file), options)) {
      if (ids.length === count) break;
      ids.push(event.id);
    }
    return { status: "ok", ids };
  },

  async manage({ title }) {
    const { campaigns, ads, reports } = management;
    const body = { name: title, objective: "awareness", pricing_model: "cpm", bid_cents: 250 };
    const made = await campaigns.create(body, {}, { idempotencyKey: title });
    const again = await campaigns.create(body, {}, { idempotencyKey: title });
    const ad = await ads.create({
      campaign_id: made.id,
      name: "Banner",
      format: "banner",
      click_url: "https://advertiser.example/",
      content: { image_url: "https://advertiser.example/b.png", width: 300, height: 250, alt: "Ad" },
    });
    await ads.activate(ad.id);
    const active = await campaigns.activate(made.id);
    const renamed = await campaigns.update(made.id, { name: "Renamed", end_at: null }, active.version);
    const conflict = await refused(ConflictError, campaigns.update(made.id, { name: "Late" }, active.version));
    const invalid = await refused(InvalidRequestError, campaigns.create({ ...body, bid_cents: 0 }));
    const ids = new Set();
    for await (const one of campaigns.list({ limit: 1 })) if (ids.add(one.id).size === 3) break;
    const report = await reports.delivery({ from: "2026-01-01", metrics: ["impressions", "clicks"] });
    const paused = await campaigns.pause(made.id);
    return {
      status: "ok",
      replayed: made.id === again.id,
      name: renamed.name,
      conflict: conflict.code,
      invalid: {
        code: invalid.code,
        status: invalid.status,
        param: invalid.details[0].param,
        request_id: Boolean(invalid.requestId),
      },
      listed: ids.size,
      reported: report.totals.impressions !== undefined,
      state: paused.status,
    };
  },
};

async function refused(kind, call) {
  try {
    await call;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error("The call was accepted.");
}

async function answer(command) {
  try {
    return await commands[command.do](command);
  } catch (error) {
    if (!(error instanceof PlacardError)) throw error;
    const own = error instanceof ApiError ? { status: error.status, param: error.details[0]?.param } : {};
    return { status: "error", error: { code: error.code, kind: error.name, message: error.message, ...own } };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  pauses = [];
  const found = await answer(JSON.parse(line));
  console.log(JSON.stringify({ ...found, pauses_ms: pauses }));
}
