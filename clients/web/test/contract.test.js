// The conformance cases that need no page, run by the built module.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { World } from "./world.js";
import { initialize, serve, track } from "../dist/index.js";

const FOLDER = new URL("../../contract/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
const ANSWERS = read("answers.json");
/** What a request may carry without the browser asking for leave first. */
const SAFE_HEADERS = { "content-type": ["text/plain"] };

for (const file of ["requests.json", "outcomes.json", "retries.json", "tokens.json"])
  describe(file, () => {
    for (const each of read(file).cases) test(each.name, () => run(each));
  });

async function run({ given, do: steps, answers, expect }) {
  const named = Object.entries(answers).map(([operation, names]) => [operation, names.map((name) => ANSWERS[name])]);
  const world = new World({ answers: Object.fromEntries(named), random: given.random, seen: given.seen });
  initialize({ publisherKey: given.publisher_key, edgeUrl: given.edge_url, consent: given.consent });
  const outcomes = await world.settle(perform(world, steps));

  assert.deepEqual(world.requests.map((request) => seenAs(request, given)), expect.requests);
  assert.equal(outcomes.length, expect.outcomes.length);
  outcomes.forEach((outcome, index) => {
    const { error, ...rest } = expect.outcomes[index];
    for (const [name, value] of Object.entries(rest)) assert.equal(outcome[name], value);
    for (const [name, value] of Object.entries(error ?? {})) assert.equal(outcome.error[name], value);
    if (outcome.status === "filled") assert.ok(outcome.ad.track_token);
  });
  if (given.consent.storage === false) assert.equal(world.keptCount, 0);
}

async function perform(world, steps) {
  const outcomes = [];
  for (const step of steps) {
    if (step.call === "wait") await new Promise((done) => setTimeout(done, step.ms));
    else if (step.at_ms) outcomes.push(new Promise((done) => world.at(step.at_ms, () => done(act(step)))));
    else if (steps.some((other) => other.at_ms)) outcomes.push(act(step));
    else outcomes.push(await act(step));
  }
  return Promise.all(outcomes);
}

function act(step) {
  if (step.call === "track") return track({ track_token: step.token }, step.event, step.conversion);
  const { key_values: keyValues, ...request } = step.request;
  return serve({ ...request, keyValues });
}

/** As cases say it; how the key travels is each library's own: here in the query, and nothing else that costs a preflight. */
function seenAs({ atMs, method, origin, path, query, headers, init }, given) {
  const { key, ...rest } = query;
  assert.equal(key, given.publisher_key);
  assert.equal(origin, "https://edge.example");
  assert.equal(init.credentials, "omit");
  for (const [name, value] of Object.entries(headers)) assert.ok(SAFE_HEADERS[name]?.includes(value), name);
  const body = init.body === undefined ? {} : { body: JSON.parse(init.body) };
  if (method === "POST") assert.equal(init.keepalive, true);
  return { at_ms: Math.round(atMs), method, path, query: rest, ...body };
}
