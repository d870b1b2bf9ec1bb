// Bundles the tests of a folder and runs them with Node's own test runner.
//   node test/run.mjs unit|workbench [--only=NAME] [options of node --test]
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url));
const [folder, ...rest] = process.argv.slice(2);
const options = rest.filter((option) => !option.startsWith("--only="));
const only = rest.find((option) => option.startsWith("--only="))?.slice("--only=".length) ?? "";
const out = path.join(here, "..", "dist", "test", folder);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const files = readdirSync(path.join(here, folder)).filter((name) => name.startsWith(only) && name.endsWith(".test.ts"));
await build({
  entryPoints: files.map((name) => path.join(here, folder, name)),
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  sourcemap: "inline",
  logLevel: "warning",
});
const tests = readdirSync(out).map((name) => path.join(out, name));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-concurrency=1", ...options, ...tests], { stdio: "inherit" });
process.exit(status ?? 1);
