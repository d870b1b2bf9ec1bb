/** "Check | Hint | Reset" above the function of a draft. */
import * as vscode from "vscode";
import type { Exercises } from "./exercises.ts";
import type { CourseModel } from "./model.ts";

export function registerLenses(model: CourseModel, exercises: Exercises): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    provideCodeLenses: (document) => {
      const draft = model.exerciseOf(document.uri);
      return draft ? lenses(document, draft.exercise.id, draft.exercise.signature, exercises) : [];
    },
  };
  const context = () => {
    const uri = vscode.window.activeTextEditor?.document.uri;
    void vscode.commands.executeCommand("setContext", "qkv.draftOpen", uri !== undefined && model.exerciseOf(uri) !== null);
  };
  return vscode.Disposable.from(
    changed,
    vscode.languages.registerCodeLensProvider({ scheme: "file", language: "python" }, provider),
    model.onDidChange(() => {
      changed.fire();
      context();
    }),
    exercises.onDidCheck(() => changed.fire()),
    vscode.window.onDidChangeActiveTextEditor(context),
  );
}

function lenses(document: vscode.TextDocument, exercise: string, signature: string, exercises: Exercises): vscode.CodeLens[] {
  const range = document.lineAt(definitionLine(document, exercise)).range;
  const lens = (title: string, command: string, tooltip: string) =>
    new vscode.CodeLens(range, { title, command, tooltip, arguments: [exercise] });
  const last = exercises.lastCheck(exercise);
  const check = last?.status === "passed" ? vscode.l10n.t("$(pass) Passed: check again") : vscode.l10n.t("$(run) Check");
  return [
    lens(check, "qkv.checkExercise", vscode.l10n.t("Run {0} and compare with the solution", signature)),
    lens(vscode.l10n.t("Hint"), "qkv.showHint", vscode.l10n.t("Show the next hint in the lesson")),
    lens(vscode.l10n.t("Reset"), "qkv.resetExercise", vscode.l10n.t("Start again; a copy of this version is kept")),
  ];
}

function definitionLine(document: vscode.TextDocument, name: string): number {
  for (let line = 0; line < document.lineCount; line++) {
    if (document.lineAt(line).text.startsWith(`def ${name}(`)) {
      return line;
    }
  }
  return 0;
}
