/** The settings that the extension itself reads; the server asks for the others. */
import * as vscode from "vscode";

export function setting<T>(name: string, fallback: T): T {
  return vscode.workspace.getConfiguration("qkv").get<T>(name) ?? fallback;
}

/** Those whose change starts the server anew. */
export const SERVER_SETTINGS = ["qkv.server.interpreter", "qkv.server.arguments", "qkv.interpreter"] as const;
