/** Read-only documents that exist in memory only: solutions, pages of diagnostics. */
import * as vscode from "vscode";
import { disposeAll, type Disposes } from "./disposal.ts";

const SCHEME = "qkv";

export interface VirtualDocuments extends Disposes {
  /** Keeps a text under a path and says how to open it. */
  put(path: string, text: string): vscode.Uri;
}

export function createVirtualDocuments(): VirtualDocuments {
  const texts = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.path) ?? "",
  });
  return {
    put: (path, text) => {
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${path}` });
      texts.set(uri.path, text);
      changed.fire(uri);
      return uri;
    },
    dispose: () => disposeAll(registration, changed),
  };
}
