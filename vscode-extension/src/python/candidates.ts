/**
 * Which interpreters may run the server, best first.
 *
 * The server brings its own libraries, so any Python 3.10+ will do. Opening a folder must start nothing of that folder:
 * an interpreter that lies in the workspace stands for the one from which its environment was made.
 * Only the setting `qkv.server.interpreter` is taken at its word; a workspace cannot set it.
 */
import * as path from "node:path";
import { baseOf, environmentOf, interpreterOf, isInside } from "./environments.ts";
import type { Candidate } from "./probe.ts";

export interface Surroundings {
  /** `qkv.server.interpreter` */
  serverSetting: string;
  /** `qkv.interpreter` */
  setting: string;
  /** The environment that is active in the Python extension, if there is one. */
  active: string | null;
  /** The folders of the workspace. */
  folders: readonly string[];
  trusted: boolean;
  platform: NodeJS.Platform;
}

const ENVIRONMENTS = [".venv", "venv"];
const RELEASES = ["3.14", "3.13", "3.12", "3.11", "3.10"];

/** The candidates in the order in which they are tried. */
export function candidates(from: Surroundings): Candidate[] {
  const found: Candidate[] = [];
  if (from.serverSetting) {
    found.push({ command: resolved(from.serverSetting, from), args: [], origin: "qkv.server.interpreter" });
  }
  if (from.setting) {
    found.push(...outsideWorkspace(resolved(from.setting, from), "qkv.interpreter", from));
  }
  if (from.active) {
    found.push(...outsideWorkspace(from.active, "the active Python environment", from));
  }
  for (const environment of workspaceEnvironments(from)) {
    found.push(...outsideWorkspace(environment.interpreter, environment.name, from));
  }
  const names = from.platform === "win32" ? ["python"] : ["python3", "python", ...RELEASES.map((release) => `python${release}`)];
  found.push(...names.map((command) => ({ command, args: [], origin: "PATH" })));
  if (from.platform === "win32") {
    found.push({ command: "py", args: ["-3"], origin: "PATH" });
  }
  return found.filter((one, index) => found.findIndex((other) => other.command === one.command) === index);
}

function workspaceEnvironments(from: Surroundings): { interpreter: string; name: string }[] {
  if (!from.trusted) {
    return [];
  }
  return from.folders.flatMap((folder) =>
    ENVIRONMENTS.flatMap((name) => {
      const interpreter = interpreterOf(path.join(folder, name));
      return interpreter ? [{ interpreter, name }] : [];
    }),
  );
}

/** The interpreter itself where it lies outside the workspace, else the one that its environment is based on. */
function outsideWorkspace(interpreter: string, origin: string, from: Surroundings): Candidate[] {
  if (!isInside(interpreter, from.folders)) {
    return [{ command: interpreter, args: [], origin }];
  }
  const environment = environmentOf(interpreter);
  const base = environment && from.trusted ? baseOf(environment) : null;
  return base && !isInside(base, from.folders) ? [{ command: base, args: [], origin: `${origin} (${interpreter})` }] : [];
}

/** A setting's path: `~`, `${workspaceFolder}` and relative paths made absolute; a bare name is left to PATH. */
function resolved(setting: string, from: Surroundings): string {
  const folder = from.folders[0] ?? "";
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  const text = setting.replace(/^~(?=$|[\\/])/, home).replaceAll("${workspaceFolder}", folder);
  const isPath = text.includes("/") || text.includes("\\");
  return isPath && folder ? path.resolve(folder, text) : text;
}
