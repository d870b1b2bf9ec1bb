/**
 * The language server's life: find Python, start, restart after a crash, stop.
 *
 * Everything that starts or stops it goes through one queue, so that a setting that arrives late, a restart that is asked for
 * and a crash cannot run into each other.
 */
import * as path from "node:path";
import * as vscode from "vscode";
import { disposeAll, type Disposes } from "./disposal.ts";
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, type LanguageClientOptions } from "vscode-languageclient/node";
import { Crashes } from "./crashes.ts";
import type { Channels } from "./log.ts";
import { middleware } from "./middleware.ts";
import { candidates } from "./python/candidates.ts";
import { withoutWorkspace } from "./python/environments.ts";
import type { ActiveEnvironment } from "./python/extension.ts";
import { choose, createProbe, type Python, type Rejected } from "./python/probe.ts";
import { createQueue } from "./queue.ts";
import type { Ask, ServerNotifications } from "./server/requests.ts";
import { SERVER_SETTINGS, setting } from "./settings.ts";

export type Phase =
  | { kind: "starting" }
  | { kind: "running"; python: Python; rejected: Rejected[] }
  | { kind: "noPython"; rejected: Rejected[] }
  | { kind: "stopped"; reason: string };

/** Thrown at whoever asks a server that is not there. */
export class NoServer extends Error {
  readonly phase: Phase;

  constructor(phase: Phase, message: string) {
    super(message);
    this.phase = phase;
  }
}

export interface CommandLine {
  command: string;
  args: string[];
  cwd: string;
}

export interface Server extends Disposes {
  readonly phase: Phase;
  readonly onDidChangePhase: vscode.Event<Phase>;
  readonly onOutput: vscode.Event<ServerNotifications["qkv/output"]>;
  readonly onProgressChanged: vscode.Event<void>;
  readonly ask: Ask;
  /** The command line that runs `qkv` as the server does, or null without Python. */
  commandLine(...args: string[]): CommandLine | null;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Process {
  client: LanguageClient;
  /** False once it has crashed or was stopped on purpose: what it says afterwards is no news. */
  alive: boolean;
}

export function createServer(context: vscode.ExtensionContext, channels: Channels, active: ActiveEnvironment): Server {
  const { log } = channels;
  const enqueue = createQueue();
  const crashes = new Crashes();
  const phaseChanged = new vscode.EventEmitter<Phase>();
  const output = new vscode.EventEmitter<ServerNotifications["qkv/output"]>();
  const progress = new vscode.EventEmitter<void>();
  let phase: Phase = { kind: "starting" };
  let current: Process | undefined;
  let started: Python | null = null;

  const enter = (next: Phase) => {
    phase = next;
    phaseChanged.fire(next);
  };
  const folders = () => (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const find = async () => {
    const tried = candidates({
      serverSetting: setting("server.interpreter", ""),
      setting: setting("interpreter", ""),
      active: active.path(vscode.workspace.workspaceFolders?.[0]?.uri),
      folders: folders(),
      trusted: vscode.workspace.isTrusted,
      platform: process.platform,
    });
    const found = await choose(tried, createProbe(withoutWorkspace(process.env, folders())));
    for (const no of found.rejected) {
      log.info(`not used: ${no.command} (${no.origin}): ${no.reason}, ${no.detail}`);
    }
    return found;
  };

  const commandLine = (python: Python, args: string[]): CommandLine => {
    // Bytecode goes to a folder of ours: the extension's own may be read-only.
    const cache = vscode.Uri.joinPath(context.globalStorageUri, "pycache").fsPath;
    return {
      // A path is taken at its word (it may be a wrapper); a name from PATH is replaced by what it led to.
      command: path.isAbsolute(python.command) ? python.command : python.executable,
      args: [...python.args, "-I", "-X", `pycache_prefix=${cache}`, context.asAbsolutePath("start_server.py"), ...args],
      cwd: context.extensionPath,
    };
  };

  const start = async () => {
    enter({ kind: "starting" });
    const { python, rejected } = await find();
    started = python;
    if (!python) {
      log.error(`no Python 3.10 or newer was found`);
      enter({ kind: "noPython", rejected });
      return;
    }
    const line = commandLine(python, ["lsp", "--stdio", ...setting<string[]>("server.arguments", [])]);
    log.info(`Python ${python.version}, from ${python.origin}: ${python.executable}`);
    log.info(`starting in ${line.cwd}: ${[line.command, ...line.args].join(" ")}`);
    const mine: Process = { client: createClient(line, () => closed(mine), channels, active), alive: true };
    current = mine;
    mine.client.onNotification("qkv/output", (said: ServerNotifications["qkv/output"]) => output.fire(said));
    mine.client.onNotification("qkv/progressChanged", () => progress.fire());
    try {
      await mine.client.start();
      enter({ kind: "running", python, rejected });
    } catch (error) {
      log.error(`the server did not start: ${error instanceof Error ? error.message : String(error)}`);
      closed(mine);
    }
  };

  const stop = async () => {
    const old = current;
    current = undefined;
    if (!old) {
      return;
    }
    old.alive = false;
    try {
      await old.client.dispose(2000);
    } catch (error) {
      log.debug(`while stopping: ${String(error)}`);
    }
  };

  const startAnew = () =>
    enqueue(async () => {
      await stop();
      await start();
    });

  const restart = () => {
    crashes.forget();
    return startAnew();
  };

  /** A server that was alive is gone: say so once, and start another unless that keeps happening. */
  const closed = (dead: Process) => {
    if (!dead.alive) {
      return;
    }
    dead.alive = false;
    const verdict = crashes.another(Date.now());
    log.error(`the server ended unexpectedly (${verdict.count} in the last minutes)`);
    if (verdict.giveUp) {
      enter({ kind: "stopped", reason: vscode.l10n.t("The qkv server ended {0} times within a few minutes.", verdict.count) });
      void sayStopped(vscode.l10n.t("The qkv server keeps ending, and was not started again."), channels, restart);
      return;
    }
    enter({ kind: "starting" });
    if (verdict.first) {
      void sayCrashed(channels);
    }
    void startAnew();
  };

  const ask: Ask = async (method, params) => {
    // A request that comes while the server starts waits for it.
    await enqueue(() => Promise.resolve());
    if (!current?.alive || phase.kind !== "running") {
      throw new NoServer(phase, whyNot(phase));
    }
    return current.client.sendRequest(method, params);
  };

  const settle = debounced(300, () => {
    // What arrived late may name the same interpreter again: then nothing has to start anew.
    void enqueue(async () => {
      const { python } = await find();
      return python?.executable === started?.executable && phase.kind !== "noPython";
    }).then((same) => (same ? undefined : restart()));
  });

  const subscriptions = [
    phaseChanged,
    output,
    progress,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("qkv.server.arguments")) {
        void restart();
      } else if (SERVER_SETTINGS.some((name) => change.affectsConfiguration(name))) {
        settle();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => settle()),
    active.onDidChange(() => {
      if (phase.kind === "noPython") {
        settle();
      }
      void current?.client.sendNotification("workspace/didChangeConfiguration", { settings: null }).catch(() => undefined);
    }),
  ];
  void enqueue(start);

  return {
    get phase() {
      return phase;
    },
    onDidChangePhase: phaseChanged.event,
    onOutput: output.event,
    onProgressChanged: progress.event,
    ask,
    commandLine: (...args) => (started ? commandLine(started, args) : null),
    restart,
    stop: () => enqueue(stop),
    dispose: () => disposeAll(...subscriptions),
  };
}

function createClient(line: CommandLine, onClosed: () => void, channels: Channels, active: ActiveEnvironment): LanguageClient {
  const options: LanguageClientOptions = {
    documentSelector: ["file", "untitled", "vscode-notebook-cell"].flatMap((scheme) => [
      { scheme, language: "python" },
      { scheme, language: "markdown" },
    ]),
    initializationOptions: { links: "command", uriScheme: vscode.env.uriScheme, trusted: vscode.workspace.isTrusted },
    markdown: { isTrusted: { enabledCommands: ["qkv.open"] }, supportHtml: false },
    outputChannel: channels.log,
    traceOutputChannel: channels.trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    middleware: middleware(active),
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => {
        onClosed();
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    },
  };
  const { command, args, cwd } = line;
  return new LanguageClient("qkv", "qkv", { command, args, options: { cwd } }, options);
}

function whyNot(phase: Phase): string {
  switch (phase.kind) {
    case "noPython":
      return vscode.l10n.t("qkv needs Python 3.10 or newer, and found none.");
    case "stopped":
      return vscode.l10n.t("The qkv server is not running.");
    default:
      return vscode.l10n.t("The qkv server is starting again.");
  }
}

async function sayCrashed(channels: Channels): Promise<void> {
  const showLog = vscode.l10n.t("Show log");
  const answer = await vscode.window.showWarningMessage(vscode.l10n.t("The qkv server ended unexpectedly and is started again."), showLog);
  if (answer === showLog) {
    channels.log.show();
  }
}

async function sayStopped(message: string, channels: Channels, restart: () => Promise<void>): Promise<void> {
  const showLog = vscode.l10n.t("Show log");
  const again = vscode.l10n.t("Start again");
  const answer = await vscode.window.showErrorMessage(message, showLog, again);
  if (answer === showLog) {
    channels.log.show();
  } else if (answer === again) {
    await restart();
  }
}

function debounced(milliseconds: number, action: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
