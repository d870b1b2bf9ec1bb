// Draws media/icon.png (a marketplace wants a bitmap) from media/icon.svg.   node scripts/icon.mjs
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const executablePath = execFileSync("/bin/sh", ["-c", "command -v chromium || command -v google-chrome"], { encoding: "utf8" }).trim();
const media = new URL("../media/", import.meta.url);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
await page.setContent(`<style>body{margin:0}svg{display:block}</style>${readFileSync(new URL("icon.svg", media), "utf8")}`);
await page.screenshot({ path: new URL("icon.png", media).pathname, omitBackground: true });
await browser.close();
