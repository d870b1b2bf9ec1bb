/** Reads virtual environments as files: nothing in them is started. */
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";

const WINDOWS = process.platform === "win32";

/** The interpreter inside a virtual environment, or null where the folder is none. */
export function interpreterOf(environment: string): string | null {
  if (!existsSync(path.join(environment, "pyvenv.cfg"))) {
    return null;
  }
  return WINDOWS ? path.join(environment, "Scripts", "python.exe") : path.join(environment, "bin", "python");
}

/** The virtual environment that an interpreter belongs to, or null. */
export function environmentOf(interpreter: string): string | null {
  const folder = path.dirname(path.dirname(interpreter));
  return existsSync(path.join(folder, "pyvenv.cfg")) ? folder : null;
}

/** The interpreter from which a virtual environment was made, as its `pyvenv.cfg` says; null where it does not say. */
export function baseOf(environment: string): string | null {
  let text: string;
  try {
    text = readFileSync(path.join(environment, "pyvenv.cfg"), "utf8");
  } catch {
    return null;
  }
  const entries = new Map(
    text.split(/\r?\n/).map((line): [string, string] => {
      const [key = "", ...value] = line.split("=");
      return [key.trim().toLowerCase(), value.join("=").trim()];
    }),
  );
  const home = entries.get("home");
  if (!home || !path.isAbsolute(home)) {
    return null;
  }
  const release = /^\d+\.\d+/.exec(entries.get("version") ?? entries.get("version_info") ?? "")?.[0];
  const names = WINDOWS ? ["python.exe"] : [...(release ? [`python${release}`] : []), "python3", "python"];
  return names.map((name) => path.join(home, name)).find((name) => existsSync(name)) ?? null;
}

/** Whether a file lies in one of the folders. */
export function isInside(file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const relative = path.relative(folder, file);
    return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
  });
}

/** A process environment in which a bare name cannot lead to a program of the workspace. */
export function withoutWorkspace(environment: NodeJS.ProcessEnv, folders: readonly string[]): NodeJS.ProcessEnv {
  const safe: NodeJS.ProcessEnv = { ...environment };
  for (const name of Object.keys(safe).filter((key) => key.toUpperCase() === "PATH")) {
    const entries = (safe[name] ?? "").split(path.delimiter);
    safe[name] = entries.filter((entry) => path.isAbsolute(entry) && !isInside(entry, folders)).join(path.delimiter);
  }
  return safe;
}
