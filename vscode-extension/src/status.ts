/** The language status item: which server, which Python, whether torch is there, and what to do where something is missing. */
import * as vscode from "vscode";
import type { Phase, Server } from "./client.ts";
import type { Rejected } from "./python/probe.ts";
import type { ServerStatus } from "./server/content.ts";

export function registerStatus(server: Server): vscode.Disposable {
  const selector = [{ language: "python" }, { language: "markdown" }];
  const item = vscode.languages.createLanguageStatusItem("qkv.status", selector);
  item.name = "qkv";
  const torch = vscode.languages.createLanguageStatusItem("qkv.torch", selector);
  torch.name = vscode.l10n.t("qkv: PyTorch");

  const show = async (phase: Phase) => {
    void vscode.commands.executeCommand("setContext", "qkv.phase", phase.kind);
    describe(item, phase);
    describeTorch(torch, null);
    if (phase.kind === "running") {
      const status = await server.ask("qkv/status", {}).catch(() => null);
      if (server.phase === phase) {
        item.text = status ? `qkv ${status.version}` : "qkv";
        describeTorch(torch, status);
        void vscode.commands.executeCommand("setContext", "qkv.ready", true);
      }
    }
  };
  void show(server.phase);
  return vscode.Disposable.from(item, torch, server.onDidChangePhase((phase) => void show(phase)));
}

function describe(item: vscode.LanguageStatusItem, phase: Phase): void {
  const restart = { command: "qkv.restartServer", title: vscode.l10n.t("Restart") };
  const showLog = { command: "qkv.showLog", title: vscode.l10n.t("Show log") };
  item.text = "qkv";
  item.busy = phase.kind === "starting";
  item.command = showLog;
  item.severity = vscode.LanguageStatusSeverity.Information;
  switch (phase.kind) {
    case "starting":
      item.detail = vscode.l10n.t("starting");
      return;
    case "running": {
      const ignored = phase.rejected.find(namedBySetting);
      item.detail = vscode.l10n.t("Python {0} from {1}", phase.python.version, phase.python.origin);
      if (ignored) {
        item.severity = vscode.LanguageStatusSeverity.Warning;
        item.detail = `${whyIgnored(ignored)} · ${item.detail}`;
        item.command = openSetting(ignored.origin);
      }
      return;
    }
    case "noPython":
      item.severity = vscode.LanguageStatusSeverity.Error;
      item.detail = vscode.l10n.t("needs Python 3.10 or newer");
      item.command = { command: "qkv.installPython", title: vscode.l10n.t("Install Python") };
      return;
    case "stopped":
      item.severity = vscode.LanguageStatusSeverity.Error;
      item.detail = phase.reason;
      item.command = restart;
  }
}

function describeTorch(item: vscode.LanguageStatusItem, status: ServerStatus | null): void {
  const found = status?.interpreter ?? null;
  item.severity = vscode.LanguageStatusSeverity.Information;
  item.command = undefined;
  item.text = found?.torch ? `PyTorch ${found.torch}` : "PyTorch";
  item.detail = found ? vscode.l10n.t("in {0}", found.path) : "";
  if (status && !found?.torch) {
    item.severity = vscode.LanguageStatusSeverity.Warning;
    item.detail = found
      ? vscode.l10n.t("is not installed in {0}: cells and exercises cannot run", found.path)
      : (status.problems[0]?.what ?? vscode.l10n.t("no Python for your own code was found"));
    item.command = { command: "qkv.installTorch", title: vscode.l10n.t("Install") };
  }
}

/** Says once when Python is missing or a setting names an interpreter that cannot be used. */
export function registerComplaints(server: Server): vscode.Disposable {
  const complained = new Set<string>();
  const complain = async (key: string, message: string, actions: { title: string; run: () => unknown }[]) => {
    if (complained.has(key)) {
      return;
    }
    complained.add(key);
    const answer = await vscode.window.showWarningMessage(message, ...actions.map(({ title }) => title));
    actions.find(({ title }) => title === answer)?.run();
  };
  const run = (command: string, ...args: unknown[]) => () => vscode.commands.executeCommand(command, ...args);
  const look = (phase: Phase) => {
    if (phase.kind === "noPython") {
      void complain("python", vscode.l10n.t("qkv needs Python 3.10 or newer, and found none."), [
        { title: vscode.l10n.t("Install Python"), run: run("qkv.installPython") },
        { title: vscode.l10n.t("Choose an interpreter"), run: run("workbench.action.openSettings", "qkv.interpreter") },
      ]);
    }
    const ignored = phase.kind === "running" ? phase.rejected.find(namedBySetting) : undefined;
    if (ignored) {
      void complain(ignored.command, whyIgnored(ignored), [
        { title: vscode.l10n.t("Open setting"), run: run("workbench.action.openSettings", ignored.origin) },
        { title: vscode.l10n.t("Show log"), run: run("qkv.showLog") },
      ]);
    }
  };
  look(server.phase);
  return server.onDidChangePhase(look);
}

/** Whether a setting names something that cannot be used. `qkv.interpreter` may be an old Python: learner code runs in it, the server need not. */
function namedBySetting({ origin, reason }: Rejected): boolean {
  return origin === "qkv.server.interpreter" || (origin.startsWith("qkv.interpreter") && reason !== "tooOld");
}

function whyIgnored({ origin, command, reason, detail }: Rejected): string {
  switch (reason) {
    case "notFound":
      return vscode.l10n.t("{0} names {1}, which does not exist", origin, command);
    case "tooOld":
      return vscode.l10n.t("{0} names Python {1}; the server needs 3.10 or newer", origin, detail);
    case "failed":
      return vscode.l10n.t("{0} names {1}, which does not start: {2}", origin, command, detail);
  }
}

function openSetting(name: string): vscode.Command {
  return { command: "workbench.action.openSettings", title: vscode.l10n.t("Open setting"), arguments: [name] };
}
