import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, suite, test } from "node:test";
import { candidates, type Surroundings } from "../../src/python/candidates.ts";
import { withoutWorkspace } from "../../src/python/environments.ts";
import { choose, createProbe, judge, type Candidate } from "../../src/python/probe.ts";

let root: string;
let workspace: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), "qkv-python-"));
  workspace = path.join(root, "workspace");
  mkdirSync(workspace);
});
afterEach(() => rmSync(root, { recursive: true }));

/** An environment as `python -m venv` makes it, based on a folder with a `python3`. */
function environment(folder: string, home: string): string {
  mkdirSync(path.join(folder, "bin"), { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(folder, "pyvenv.cfg"), `home = ${home}\nversion = 3.11.2\n`);
  writeFileSync(path.join(home, "python3"), "");
  const interpreter = path.join(folder, "bin", "python");
  writeFileSync(interpreter, "");
  return interpreter;
}

function surroundings(given: Partial<Surroundings>): Surroundings {
  return { serverSetting: "", setting: "", active: null, folders: [workspace], trusted: true, platform: "linux", ...given };
}

const commands = (given: Partial<Surroundings>) => candidates(surroundings(given)).map(({ command }) => command);
const ON_PATH = ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10"];

suite("which interpreters are tried", () => {
  test("settings first, then the active environment, then PATH", () => {
    assert.deepEqual(commands({ serverSetting: "/opt/server", setting: "/opt/mine", active: "/opt/active" }), [
      "/opt/server",
      "/opt/mine",
      "/opt/active",
      ...ON_PATH,
    ]);
  });

  test("an environment of the workspace stands for the interpreter that it was made from", () => {
    environment(path.join(workspace, ".venv"), path.join(root, "base"));
    assert.deepEqual(commands({}), [path.join(root, "base", "python3"), ...ON_PATH]);
  });

  test("so does a setting or an active environment that lies in the workspace", () => {
    const inside = environment(path.join(workspace, "env"), path.join(root, "base"));
    assert.deepEqual(commands({ setting: inside, active: inside }), [path.join(root, "base", "python3"), ...ON_PATH]);
    assert.deepEqual(commands({ setting: "env/bin/python" }), [path.join(root, "base", "python3"), ...ON_PATH]);
  });

  test("an environment that names a base inside the workspace is left alone", () => {
    environment(path.join(workspace, ".venv"), path.join(workspace, "tools"));
    assert.deepEqual(commands({}), ON_PATH);
  });

  test("nothing of a workspace that is not trusted is looked at", () => {
    const inside = environment(path.join(workspace, ".venv"), path.join(root, "base"));
    assert.deepEqual(commands({ trusted: false, active: inside }), ON_PATH);
  });

  test("a name without a folder is left to PATH, and ~ is the home folder", () => {
    const home = process.env["HOME"] ?? "";
    assert.deepEqual(commands({ setting: "python3.12" }).slice(0, 1), ["python3.12"]);
    assert.deepEqual(commands({ setting: "~/py/bin/python" }).slice(0, 1), [path.join(home, "py/bin/python")]);
  });
});

suite("what an interpreter answers", () => {
  const candidate: Candidate = { command: "python3", args: [], origin: "PATH" };

  test("3.10 is new enough, 3.9 and 2.7 are not", () => {
    assert.deepEqual(judge(candidate, '["/usr/bin/python3", [3, 10, 0]]'), { ...candidate, executable: "/usr/bin/python3", version: "3.10.0" });
    assert.deepEqual(judge(candidate, '["/usr/bin/python3", [3, 9, 19]]'), { ...candidate, reason: "tooOld", detail: "3.9.19" });
    assert.deepEqual(judge(candidate, '["/usr/bin/python", [2, 7, 18]]'), { ...candidate, reason: "tooOld", detail: "2.7.18" });
  });

  test("a program that is no Python is not used", () => {
    const no = { ...candidate, reason: "failed", detail: "it did not answer as Python does" };
    assert.deepEqual(judge(candidate, "hello"), no);
    assert.deepEqual(judge(candidate, '{"a": 1}'), no);
  });

  test("the first that is new enough is chosen, and why the others were not is kept", async () => {
    const probe = createProbe(process.env);
    const missing: Candidate = { command: path.join(root, "missing"), args: [], origin: "qkv.interpreter" };
    const { python, rejected } = await choose([missing, { command: "/bin/false", args: [], origin: "PATH" }, candidate], probe);
    assert.equal(python?.command, "python3");
    assert.deepEqual(rejected.map(({ reason }) => reason), ["notFound", "failed"]);
  });

  test("PATH never leads into the workspace", () => {
    const safe = withoutWorkspace({ PATH: ["/usr/bin", path.join(workspace, ".venv/bin"), ".", "/bin"].join(path.delimiter), OTHER: "1" }, [workspace]);
    assert.deepEqual(safe, { PATH: ["/usr/bin", "/bin"].join(path.delimiter), OTHER: "1" });
  });
});
