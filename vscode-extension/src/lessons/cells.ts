/** Runs of lesson cells and the learner's versions of them: kept here, so that a page may be closed and opened again. */
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { disposeAll, type Disposes } from "../disposal.ts";
import type { Server } from "../client.ts";
import type { Bind, HostEvents, RunRecord } from "../panel/protocol.ts";
import type { RunResult } from "../server/content.ts";
import { failureOf, requireTrust } from "../server/failure.ts";

export type CellEvent =
  | { event: "started"; data: HostEvents["started"] }
  | { event: "output"; data: HostEvents["output"] }
  | { event: "finished"; data: HostEvents["finished"] };

export interface Cells extends Disposes {
  readonly onEvent: vscode.Event<CellEvent>;
  runs(part: string): Record<string, RunRecord>;
  drafts(part: string): Record<string, string>;
  keepDraft(part: string, cell: string, code: string | null): Promise<void>;
  /** Starts a run and says its id; a cell that still runs is stopped first. */
  run(part: string, cell: string, code: string | null, bind?: Bind): Promise<string>;
  stop(id: string): Promise<boolean>;
  stopAll(): Promise<void>;
}

interface Run extends RunRecord {
  part: string;
  cell: string;
}

export function createCells(server: Server, memory: vscode.Memento): Cells {
  const events = new vscode.EventEmitter<CellEvent>();
  const last = new Map<string, Run>();
  const key = (part: string, cell: string) => `${part}/${cell}`;
  const draftsOf = (part: string) => memory.get<Record<string, string>>(`drafts/${part}`, {});

  const listening = server.onOutput(({ id, stream, text }) => {
    const run = [...last.values()].find((one) => one.id === id);
    if (run) {
      run.output.push({ stream, text });
      events.fire({ event: "output", data: { part: run.part, cell: run.cell, id, stream, text } });
    }
  });

  const stop = async (id: string) => (await server.ask("qkv/stop", { id })).stopped;
  const running = () => [...last.values()].filter((run) => run.result === null);

  return {
    onEvent: events.event,
    runs: (part) => Object.fromEntries([...last.values()].filter((run) => run.part === part).map((run) => [run.cell, run])),
    drafts: draftsOf,
    keepDraft: async (part, cell, code) => {
      const others = Object.entries(draftsOf(part)).filter(([id]) => id !== cell);
      await memory.update(`drafts/${part}`, Object.fromEntries(code === null ? others : [...others, [cell, code]]));
    },
    run: async (part, cell, code, bind = {}) => {
      requireTrust();
      const before = last.get(key(part, cell));
      if (before?.result === null) {
        await stop(before.id);
      }
      const run: Run = { id: randomUUID(), part, cell, output: [], result: null };
      last.set(key(part, cell), run);
      events.fire({ event: "started", data: { part, cell, id: run.id } });
      const request = server.ask("qkv/run", { id: run.id, part, cell, bind, ...(code === null ? {} : { code }) });
      void request.catch(notStarted).then((result) => {
        run.result = result;
        events.fire({ event: "finished", data: { part, cell, id: run.id, result } });
      });
      return run.id;
    },
    stop,
    stopAll: async () => {
      await Promise.all(running().map((run) => stop(run.id)));
    },
    dispose: () => disposeAll(listening, events),
  };
}

/** A run that never came to be, as a result like others. */
function notStarted(error: unknown): RunResult {
  return {
    version: 1,
    path: null,
    status: "not-started",
    reason: failureOf(error).message,
    exit_code: null,
    interpreter: null,
    python: null,
    torch: null,
    device: "auto",
    milliseconds: 0,
    stdout: "",
    stderr: "",
    cut: 0,
    error: null,
    pictures: [],
  };
}
