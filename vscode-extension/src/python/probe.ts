/** Asks an interpreter what it is, without letting it read anything of the folder that is open. */
import { execFile } from "node:child_process";
import { tmpdir } from "node:os";

export const OLDEST: readonly [number, number] = [3, 10];

/** An interpreter that may be tried, and where its name came from. */
export interface Candidate {
  command: string;
  args: string[];
  /** In words: "the setting qkv.interpreter", "PATH". */
  origin: string;
}

/** An interpreter that answered. */
export interface Python extends Candidate {
  executable: string;
  version: string;
}

/** An interpreter that was tried in vain. */
export interface Rejected extends Candidate {
  reason: "notFound" | "tooOld" | "failed";
  detail: string;
}

export type Probe = (candidate: Candidate) => Promise<Python | Rejected>;

const QUESTION = "import json,sys;print(json.dumps([sys.executable,list(sys.version_info[:3])]))";

/** A probe that starts the candidate in isolated mode (no PYTHONPATH, no user site, no current folder) and reads its version. */
export function createProbe(env: NodeJS.ProcessEnv): Probe {
  const options = { cwd: tmpdir(), timeout: 10_000, windowsHide: true, env };
  return (candidate) => new Promise((resolve) => {
    execFile(candidate.command, [...candidate.args, "-I", "-c", QUESTION], options, (error, stdout, stderr) => {
      if (error) {
        const reason = error.code === "ENOENT" ? "notFound" : "failed";
        resolve({ ...candidate, reason, detail: lastLine(stderr) || error.message });
        return;
      }
      resolve(judge(candidate, stdout));
    });
  });
}

/** Reads the answer of a candidate. */
export function judge(candidate: Candidate, answer: string): Python | Rejected {
  let said: unknown;
  try {
    said = JSON.parse(answer);
  } catch {
    return { ...candidate, reason: "failed", detail: "it did not answer as Python does" };
  }
  if (!Array.isArray(said) || typeof said[0] !== "string" || !Array.isArray(said[1])) {
    return { ...candidate, reason: "failed", detail: "it did not answer as Python does" };
  }
  const [major, minor, micro] = said[1].map(Number);
  const version = `${major ?? 0}.${minor ?? 0}.${micro ?? 0}`;
  if ((major ?? 0) < OLDEST[0] || (major === OLDEST[0] && (minor ?? 0) < OLDEST[1])) {
    return { ...candidate, reason: "tooOld", detail: version };
  }
  return { ...candidate, executable: said[0], version };
}

/** The first candidate that is new enough, and all those that were tried before it. */
export async function choose(candidates: Candidate[], ask: Probe): Promise<{ python: Python | null; rejected: Rejected[] }> {
  const rejected: Rejected[] = [];
  for (const candidate of candidates) {
    const answer = await ask(candidate);
    if ("version" in answer) {
      return { python: answer, rejected };
    }
    rejected.push(answer);
  }
  return { python: null, rejected };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1)?.trim() ?? "";
}
