// Writes dist/: the module and the element with what they share, one file of both for pages, the embed opener, what is
// loaded where it is needed, types and styles. Says what each weighs, and fails where one weighs more than it may. --check writes nothing, and fails where the
// committed files are not what would be written.
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const LIMITS = { "placard.js": 5120, "embed.js": 1229 };

// Loaded by the others where a page needs them.
const LAZY = ["consent-apis", "debug", "formats", "refresh"];

process.chdir(import.meta.dirname ?? new URL(".", import.meta.url).pathname);
const checks = process.argv.includes("--check");
const into = checks ? mkdtempSync(join(tmpdir(), "placard-")) : "dist";

const common = {
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  mangleProps: /^_[a-z]/,
  legalComments: "none",
  logLevel: "warning",
  external: LAZY.map((name) => `./${name}.js`),
  outdir: into,
};

if (!checks) rmSync("dist", { recursive: true, force: true });
await build({
  ...common,
  entryPoints: ["src/index.ts", "src/element.ts"],
  splitting: true,
  chunkNames: "shared",
});
await build({ ...common, entryPoints: ["src/placard.ts", "src/embed.ts", ...LAZY.map((name) => `src/${name}.ts`)] });
cpSync("src/placard.css", join(into, "placard.css"));
execFileSync("node_modules/.bin/tsc", ["--outDir", into], { stdio: "inherit" });

const weigh = (name) => gzipSync(readFileSync(join(into, name)), { level: 9 }).length;
let failed = false;
for (const name of readdirSync(into).filter((one) => one.endsWith(".js"))) {
  const [bytes, limit] = [weigh(name), LIMITS[name] ?? Infinity];
  failed ||= bytes > limit;
  console.log(`${name}: ${bytes} B gzip${limit < Infinity ? ` of ${limit}` : ""}${bytes > limit ? ": TOO MUCH" : ""}`);
}
if (checks) {
  const read = (folder) =>
    Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
  const [fresh, kept] = [read(into), read("dist")];
  for (const name of new Set([...Object.keys(fresh), ...Object.keys(kept)]))
    if (fresh[name] !== kept[name]) {
      console.error(`dist/${name} is stale: run clients/web/build.sh and commit what it writes`);
      failed = true;
    }
  rmSync(into, { recursive: true });
}
process.exitCode = failed ? 1 : 0;
