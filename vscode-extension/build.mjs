// Bundles the extension (Node) and the lesson page (browser) into dist/.   node build.mjs [--watch]
import { build, context } from "esbuild";

const production = !process.argv.includes("--watch");
const common = { bundle: true, minify: production, sourcemap: production ? false : "linked", logLevel: "warning" };
const bundles = [
  {
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode"],
  },
  {
    ...common,
    entryPoints: { lesson: "src/panel/webview/main.ts", "lesson-style": "src/panel/webview/style.css" },
    outdir: "dist/panel",
    platform: "browser",
    format: "iife",
    target: "es2022",
  },
];

if (production) {
  await Promise.all(bundles.map((options) => build(options)));
} else {
  for (const options of bundles) {
    await (await context(options)).watch();
  }
}
