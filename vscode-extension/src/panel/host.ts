/** The host's side of the protocol: answers one page's requests and passes events on to it. */
import * as vscode from "vscode";
import { disposeAll, type Disposes } from "../disposal.ts";
import type { Server } from "../client.ts";
import type { Cells } from "../lessons/cells.ts";
import type { Exercises } from "../lessons/exercises.ts";
import type { CourseModel } from "../lessons/model.ts";
import type { Place } from "../links.ts";
import type { CheckResult } from "../server/content.ts";
import { failureOf } from "../server/failure.ts";
import { PASSED_ON, type FromHost, type FromPage, type HostEvent, type HostEvents, type HostRequests, type PassedOn, type Remedy } from "./protocol.ts";

/** What the pages are served from. */
export interface Services {
  server: Server;
  model: CourseModel;
  cells: Cells;
  exercises: Exercises;
  log: vscode.LogOutputChannel;
}

/** One page that is shown somewhere. */
export interface Page extends Disposes {
  show(place: Place): void;
  send<E extends HostEvent>(event: E, data: HostEvents[E]): void;
}

type Handlers = { [M in keyof HostRequests]: (params: HostRequests[M]["params"]) => Promise<HostRequests[M]["result"]> };

const REMEDIES: Record<Remedy, string> = {
  installTorch: "qkv.installTorch",
  installPython: "qkv.installPython",
  restartServer: "qkv.restartServer",
  showLog: "qkv.showLog",
  manageTrust: "workbench.trust.manage",
};

/** Serves a webview. `first` is the place to show when it starts, null for the one that it remembers. */
export function serve(webview: vscode.Webview, services: Services, first: Place | null, onMoved: (place: Place) => void): Page {
  const { server, cells, exercises, log } = services;
  let waiting = first;
  let listening = false;

  const post = (message: FromHost) => void webview.postMessage(message);
  const send: Page["send"] = (event, data) => {
    if (listening) {
      post({ kind: "event", event, data });
    }
  };

  const handlers: Handlers = {
    "host/start": () => {
      const place = waiting;
      waiting = null;
      listening = true;
      return Promise.resolve({ place, trusted: vscode.workspace.isTrusted, sentences: sentences() });
    },
    "host/moved": ({ place }) => {
      onMoved(place);
      return Promise.resolve(null);
    },
    "host/kept": ({ part }) => Promise.resolve({ drafts: cells.drafts(part), runs: cells.runs(part), checks: checksOf(services, part) }),
    "host/keepDraft": async ({ part, cell, code }) => {
      await cells.keepDraft(part, cell, code);
      return null;
    },
    "host/run": async ({ part, cell, code, bind }) => ({ id: await cells.run(part, cell, code, bind) }),
    "host/stop": async ({ id }) => ({ stopped: await cells.stop(id) }),
    "host/openCode": async ({ code }) => {
      const document = await vscode.workspace.openTextDocument({ language: "python", content: code });
      await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.One, preview: false });
      return null;
    },
    "host/openExercise": ({ exercise }) => exercises.open(exercise),
    "host/checkExercise": ({ exercise }) => exercises.check(exercise),
    "host/compareSolution": async ({ exercise }) => {
      await exercises.compare(exercise);
      return null;
    },
    "host/resetExercise": async ({ exercise }) => ({ undo: await exercises.reset(exercise) }),
    "host/undoReset": async ({ exercise }) => {
      await exercises.undoReset(exercise);
      return null;
    },
    "host/openOutside": async ({ url }) => {
      const uri = vscode.Uri.parse(url, true);
      if (uri.scheme === "https") {
        await vscode.env.openExternal(uri);
      }
      return null;
    },
    "host/openDiagnostic": async ({ code }) => {
      await vscode.commands.executeCommand("qkv.open", `diagnostic:${code}`);
      return null;
    },
    "host/copy": async ({ text }) => {
      await vscode.env.clipboard.writeText(text);
      return null;
    },
    "host/remedy": async ({ remedy }) => {
      await vscode.commands.executeCommand(REMEDIES[remedy]);
      return null;
    },
  };

  const answer = async (method: string, params: unknown): Promise<unknown> => {
    if (isPassedOn(method)) {
      return server.ask(method, params as never);
    }
    if (isHandled(handlers, method)) {
      // The page is ours and shares the types of the protocol; its own compiler has checked the parameters.
      return (handlers[method] as (params: unknown) => Promise<unknown>)(params);
    }
    throw new Error(`the page asked for ${method}, which does not exist`);
  };

  const subscriptions = [
    webview.onDidReceiveMessage(async ({ number, method, params }: FromPage) => {
      try {
        post({ kind: "answer", number, result: await answer(method, params) });
      } catch (error) {
        log.warn(`${method}: ${error instanceof Error ? error.message : String(error)}`);
        post({ kind: "failure", number, failure: failureOf(error) });
      }
    }),
    cells.onEvent(({ event, data }) => send(event, data)),
    exercises.onDidCheck((result) => send("checked", result)),
    services.model.onDidChange(() => send("progressChanged", {})),
    server.onDidChangePhase((phase) => {
      if (phase.kind === "running") {
        send("hostChanged", { trusted: vscode.workspace.isTrusted });
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => send("hostChanged", { trusted: true })),
  ];

  return {
    show: (place) => {
      if (listening) {
        send("goTo", place);
      } else {
        waiting = place;
      }
    },
    send,
    dispose: () => disposeAll(...subscriptions),
  };
}

function sentences(): Record<string, string> {
  const entries = Object.entries((vscode.l10n.bundle ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

function isPassedOn(method: string): method is PassedOn {
  return (PASSED_ON as readonly string[]).includes(method);
}

function isHandled(handlers: Handlers, method: string): method is keyof HostRequests {
  return Object.hasOwn(handlers, method);
}

function checksOf({ model, exercises }: Services, part: string): Record<string, CheckResult> {
  const ids = model.course?.parts.find((one) => one.id === part)?.exercises.map((one) => one.id) ?? [];
  return Object.fromEntries(ids.flatMap((id) => exercises.lastCheck(id) ?? []).map((result) => [result.exercise, result]));
}
