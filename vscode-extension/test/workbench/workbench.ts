/** A VS Code of its own for a test: code-server with the extension installed, and Chromium looking at it. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

/** The repository; the tests are started in `vscode-extension/`. */
export const ROOT = path.resolve(process.cwd(), "..");
const HOME = process.env["QKV_EDITOR_HOME"] ?? path.join(ROOT, "work/editor");
const NODE = path.join(HOME, "node/node_modules/node/bin/node");
const CODE_SERVER = path.join(HOME, "code-server/node_modules/code-server/out/node/entry.js");
const VSIX = path.join(ROOT, "dist/qkv.vsix");
const PYTHON = path.join(ROOT, ".venv/bin/python");
const SHOTS = path.join(HOME, "shots");

export interface Options {
  /** Where screenshots and files of this run are kept. */
  name: string;
  /** Settings of the user, over those that make the workbench quiet. Null: a profile as a newcomer has it. */
  settings?: Record<string, unknown> | null;
  /** Settings of the machine: where interpreters are named. */
  machine?: Record<string, unknown>;
  /** Variables for the server's processes. */
  env?: Record<string, string>;
  /** Asks for trust in folders, as it is by default. */
  workspaceTrust?: boolean;
  /** Further files of the workspace, by their path. */
  files?: Record<string, string>;
}

export interface Workbench {
  page: Page;
  workspace: string;
  /** The learner's data folder. */
  data: string;
  openFile: (name: string) => Promise<void>;
  reload: () => Promise<void>;
  /** Photographs the window; answers the file's name. */
  shot: (name: string) => Promise<string>;
  close: () => Promise<void>;
}

/** Makes the workbench still: nothing pops up that a test did not ask for. */
const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "telemetry.telemetryLevel": "off",
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "chat.disableAIFeatures": true,
  "git.enabled": false,
  "editor.minimap.enabled": false,
  "editor.hover.delay": 100,
  "window.commandCenter": false,
};

export async function startWorkbench(options: Options): Promise<Workbench> {
  const run = fs.mkdtempSync(path.join(folder(path.join(HOME, "runs")), `${options.name}-`));
  const user = folder(path.join(run, "user"));
  const workspace = path.join(run, "workspace");
  const data = path.join(run, "data");
  fs.cpSync(path.join(ROOT, "tests/editors/sample"), workspace, { recursive: true });
  for (const [name, text] of Object.entries(options.files ?? {})) {
    write(path.join(workspace, name), text);
  }
  if (options.settings !== null) {
    write(path.join(user, "User/settings.json"), JSON.stringify({ ...QUIET, ...options.settings }));
  }
  // This window is a remote one for VS Code: a setting of the machine counts only in this file.
  write(path.join(user, "Machine/settings.json"), JSON.stringify(options.machine ?? interpreters()));

  const env = {
    ...process.env,
    ...options.env,
    QKV_HOME: data,
    TMPDIR: folder(path.join(run, "tmp")),
    XDG_CONFIG_HOME: path.join(run, "config"),
    XDG_DATA_HOME: path.join(run, "share"),
  };
  const common = ["--user-data-dir", user, "--extensions-dir", path.join(run, "extensions")];
  const installed = spawnSync(NODE, [CODE_SERVER, ...common, "--install-extension", VSIX], { env, encoding: "utf8" });
  assert.equal(installed.status, 0, installed.stdout + installed.stderr);

  const port = await freePort();
  const log = fs.openSync(path.join(run, "code-server.log"), "w");
  const server = spawn(
    NODE,
    [
      CODE_SERVER,
      ...common,
      ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--ignore-last-opened"],
      ...(options.workspaceTrust ? [] : ["--disable-workspace-trust"]),
      workspace,
    ],
    { env, stdio: ["ignore", log, log] },
  );
  let browser: Browser | undefined;
  const close = async () => {
    await browser?.close();
    await ended(server);
  };
  try {
    await listening(port, server);
    browser = await chromium.launch({
      executablePath: chromiumPath(),
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"],
    });
    const context = await browser.newContext({ viewport: { width: 1500, height: 950 } });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: `http://127.0.0.1:${port}` });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}`);
    await ready(page);
    return {
      page,
      workspace,
      data,
      openFile: (name) => openFile(page, name),
      reload: async () => {
        await page.reload();
        await ready(page);
      },
      shot: async (name) => {
        const file = path.join(folder(SHOTS), `${options.name}-${name}.png`);
        await page.screenshot({ path: file });
        return file;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The repository's own environment for everything: it has torch. QKV_TEST_SERVER_PYTHON names another one for the server. */
export function interpreters(): Record<string, unknown> {
  return { "qkv.interpreter": PYTHON, "qkv.server.interpreter": process.env["QKV_TEST_SERVER_PYTHON"] ?? PYTHON };
}

async function openFile(page: Page, name: string): Promise<void> {
  await page.keyboard.press("Control+P");
  const input = page.locator(".quick-input-widget input.input");
  await input.fill(name);
  await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".tab.active", { hasText: name }).waitFor();
  await page.locator(".editor-instance .view-line").first().waitFor();
}

async function ready(page: Page): Promise<void> {
  await page.locator(".monaco-workbench .part.editor").waitFor();
  await page.locator(".activitybar .action-label[aria-label^='qkv']").waitFor();
}

function chromiumPath(): string {
  const names = [process.env["CHROMIUM"] ?? "chromium", "chromium-browser", "google-chrome"];
  return execFileSync("/bin/sh", ["-c", names.map((name) => `command -v '${name}'`).join(" || ")], { encoding: "utf8" }).trim();
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => (typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port"))));
    });
  });
}

/** Waits until code-server answers: it has no other way to say so. */
async function listening(port: number, server: ChildProcess): Promise<void> {
  for (;;) {
    assert.equal(server.exitCode, null, "code-server ended before it answered");
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
    if (answer?.ok) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode === null) {
    const exit = once(server, "exit");
    server.kill("SIGTERM");
    await exit;
  }
}

function folder(name: string): string {
  fs.mkdirSync(name, { recursive: true });
  return name;
}

function write(name: string, text: string): void {
  folder(path.dirname(name));
  fs.writeFileSync(name, text);
}
