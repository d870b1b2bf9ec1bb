/** The two output channels: the log, and the trace of the protocol, which is made when the first line is written. */
import * as vscode from "vscode";
import { disposeAll, type Disposes } from "./disposal.ts";

export interface Channels extends Disposes {
  log: vscode.LogOutputChannel;
  trace: vscode.LogOutputChannel;
}

export function createChannels(): Channels {
  const log = vscode.window.createOutputChannel("qkv", { log: true });
  const trace = lazyTrace("qkv: language server trace");
  return { log, trace, dispose: () => disposeAll(log, trace) };
}

/**
 * A trace channel that appears only when something is traced.
 * Whether anything is traced is up to the setting `qkv.trace.server`, so the channel's own level is always "trace".
 */
function lazyTrace(name: string): vscode.LogOutputChannel {
  let channel: vscode.OutputChannel | undefined;
  const made = () => (channel ??= vscode.window.createOutputChannel(name));
  const levelChanged = new vscode.EventEmitter<vscode.LogLevel>();
  const write = (message: string | Error) => made().appendLine(`${new Date().toISOString()} ${String(message)}`);
  return {
    name,
    logLevel: vscode.LogLevel.Trace,
    onDidChangeLogLevel: levelChanged.event,
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    append: (value) => made().append(value),
    appendLine: (value) => made().appendLine(value),
    replace: (value) => made().replace(value),
    clear: () => channel?.clear(),
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the interface has both overloads
    show: (first?: vscode.ViewColumn | boolean) => made().show(first === true),
    hide: () => channel?.hide(),
    dispose: () => {
      channel?.dispose();
      levelChanged.dispose();
    },
  };
}
