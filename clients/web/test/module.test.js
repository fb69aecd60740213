// Promises of the module that are no case of the kit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { World } from "./world.js";
import { initialize, serve, track, VERSION } from "../dist/index.js";
import { readFileSync } from "node:fs";

const load = (source) =>
  execFileSync(process.execPath, ["--input-type=module", "--eval", source], { cwd: new URL("..", import.meta.url) }).toString();

test("loading the module asks for nothing and defines nothing", () => {
  const names = "Object.getOwnPropertyNames(globalThis).join()";
  const source = `const before = ${names}; globalThis.fetch = () => { throw 1 };
    await import("./dist/index.js"); console.log(before === ${names});`;
  assert.equal(load(source).trim(), "true");
});

test("loading the element on a server does nothing", () => {
  assert.equal(load(`await import("./dist/element.js"); console.log(typeof customElements);`).trim(), "undefined");
});

test("nothing throws, whatever is given", async () => {
  new World({ answers: {} });
  assert.equal((await serve({ slot: "top" })).error.code, "not_initialized");
  initialize({ publisherKey: "pk_test_x", edgeUrl: "https://edge.example" });
  assert.equal((await track(undefined, "click")).error.code, "invalid_request");
  assert.equal((await serve(undefined)).status, "error");
});

test("a consent function that fails is a no", async () => {
  const world = new World({ answers: { features: [{ status: 200, body: {} }], serve: [{ status: 204 }] } });
  const consent = () => Promise.reject(new Error("no"));
  initialize({ publisherKey: "pk_test_x", edgeUrl: "https://edge.example", consent });
  await world.settle(serve({ slot: "top" }));
  assert.equal(world.requests.at(-1).query.npa, "1");
});

test("a consent value that is undefined takes no precedence over what the page says", async () => {
  const world = new World({ answers: { features: [{ status: 200, body: {} }], serve: [{ status: 204 }] } });
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { globalPrivacyControl: true }, configurable: true });
  initialize({ publisherKey: "pk_test_x", edgeUrl: "https://edge.example", consent: () => ({ lgpd: true, npa: undefined }) });
  await world.settle(serve({ slot: "top" }));
  Object.defineProperty(globalThis, "navigator", before ?? { value: undefined, configurable: true });
  const { lgpd, npa } = world.requests.at(-1).query;
  assert.deepEqual({ lgpd, npa }, { lgpd: "1", npa: "1" });
});

test("features stay known while newer ones are not available", async () => {
  const stopped = { status: 200, body: { sdk: { min: {}, kill_switch: true }, ttl_seconds: 300 } };
  const world = new World({ answers: { features: [stopped, { status: 503, text: "" }] } });
  initialize({ publisherKey: "pk_test_x", edgeUrl: "https://edge.example" });
  const first = await world.settle(serve({ slot: "top" }));
  world.nowMs += 301_000;
  const second = await world.settle(serve({ slot: "top" }));
  assert.deepEqual([first.reason, second.reason], ["kill_switch", "kill_switch"]);
  assert.deepEqual(world.requests.map(({ path }) => path), ["/v1/features", "/v1/features"]);
});

test("the version is the package's", () => {
  assert.equal(VERSION, JSON.parse(readFileSync(new URL("../package.json", import.meta.url))).version);
});
