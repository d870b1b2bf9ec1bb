/** The commands about the server and what it needs. */
import * as vscode from "vscode";
import type { Server } from "../client.ts";
import type { Channels } from "../log.ts";
import type { CourseModel } from "../lessons/model.ts";

export function registerServerCommands(server: Server, model: CourseModel, channels: Channels): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand("qkv.restartServer", () => server.restart()),
    vscode.commands.registerCommand("qkv.showLog", () => channels.log.show()),
    vscode.commands.registerCommand("qkv.refresh", () => model.refresh()),
    vscode.commands.registerCommand("qkv.installPython", () => typeInTerminal("Python", installPython(process.platform))),
    vscode.commands.registerCommand("qkv.installTorch", () => installTorch(server)),
    vscode.commands.registerCommand("qkv.openWalkthrough", () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "qkv.qkv#start", false),
    ),
  );
}

/** Opens a terminal with the command typed, and leaves it to the user to press Enter. */
function typeInTerminal(name: string, command: string): void {
  const terminal = vscode.window.createTerminal({ name: vscode.l10n.t("Install {0}", name) });
  terminal.show();
  terminal.sendText(command, false);
}

function installPython(platform: NodeJS.Platform): string {
  switch (platform) {
    case "win32":
      return "winget install Python.Python.3.13";
    case "darwin":
      return "brew install python";
    default:
      return "sudo apt install python3 python3-venv";
  }
}

async function installTorch(server: Server): Promise<void> {
  const interpreter = (await server.ask("qkv/status", {})).interpreter?.path ?? "python3";
  const command = /[\s()]/.test(interpreter) ? quoted(interpreter) : interpreter;
  typeInTerminal("PyTorch", `${command} -m pip install torch`);
}

function quoted(path: string): string {
  return process.platform === "win32" ? `& "${path}"` : `"${path}"`;
}
