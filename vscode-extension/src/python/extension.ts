/** The active environment of the Python extension, where that extension is there. We never depend on it. */
import * as vscode from "vscode";
import { disposeAll, type Disposes } from "../disposal.ts";

interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

export interface ActiveEnvironment extends Disposes {
  /** The path of the active interpreter; null while it is not known. */
  path(resource?: vscode.Uri): string | null;
  readonly onDidChange: vscode.Event<void>;
}

/** Watches the Python extension. It may take seconds to start, so nobody waits for it: `onDidChange` says when it speaks. */
export function watchActiveEnvironment(): ActiveEnvironment {
  const changed = new vscode.EventEmitter<void>();
  const subscriptions: Disposes[] = [changed];
  let api: PythonApi | undefined;

  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (extension) {
    void extension.activate().then(
      (exported) => {
        if (typeof exported.environments.getActiveEnvironmentPath !== "function") {
          return;
        }
        api = exported;
        subscriptions.push(api.environments.onDidChangeActiveEnvironmentPath(() => changed.fire()));
        changed.fire();
      },
      () => undefined, // it has said so itself
    );
  }
  return {
    path: (resource) => {
      const active = api?.environments.getActiveEnvironmentPath(resource).path;
      return active && active !== "python" ? active : null;
    },
    onDidChange: changed.event,
    dispose: () => disposeAll(...subscriptions),
  };
}
