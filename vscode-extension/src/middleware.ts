/** What passes between VS Code and the server on its way. */
import { ResponseError, type Middleware } from "vscode-languageclient/node";
import * as vscode from "vscode";
import type { ActiveEnvironment } from "./python/extension.ts";

export function middleware(active: ActiveEnvironment): Middleware {
  return {
    workspace: {
      // The server cannot know the environment that is chosen in the Python extension: it is told as if it were set.
      configuration: async (params, token, next) => {
        const answers = await next(params, token);
        if (answers instanceof ResponseError) {
          return answers;
        }
        return params.items.map((item, index): unknown => {
          const answer: unknown = answers[index];
          const resource = item.scopeUri ? vscode.Uri.parse(item.scopeUri) : undefined;
          return item.section === "qkv" ? withInterpreter(answer, active.path(resource)) : answer;
        });
      },
    },
  };
}

function withInterpreter(settings: unknown, interpreter: string | null): unknown {
  if (!interpreter || typeof settings !== "object" || settings === null) {
    return settings;
  }
  const set: unknown = Reflect.get(settings, "interpreter");
  return set ? settings : { ...settings, interpreter };
}
