/** What one does with an exercise: open its draft, check it, start again, take that back, compare with the solution. */
import * as vscode from "vscode";
import type { Disposes } from "../disposal.ts";
import type { Server } from "../client.ts";
import type { CheckResult, ResetResult } from "../server/content.ts";
import { requireTrust } from "../server/failure.ts";
import type { VirtualDocuments } from "../virtualDocuments.ts";

export interface Exercises extends Disposes {
  readonly onDidCheck: vscode.Event<CheckResult>;
  lastCheck(exercise: string): CheckResult | null;
  open(exercise: string): Promise<{ file: string }>;
  check(exercise: string): Promise<CheckResult>;
  /** Puts the start back into the draft. True where there is something to undo. */
  reset(exercise: string): Promise<boolean>;
  undoReset(exercise: string): Promise<void>;
  compare(exercise: string): Promise<void>;
}

export function createExercises(server: Server, documents: VirtualDocuments): Exercises {
  const checked = new vscode.EventEmitter<CheckResult>();
  const checks = new Map<string, CheckResult>();
  const resets = new Map<string, ResetResult["reset"][number]>();

  const draft = async (exercise: string) => vscode.Uri.file((await server.ask("qkv/openExercise", { exercise })).file);

  return {
    onDidCheck: checked.event,
    lastCheck: (exercise) => checks.get(exercise) ?? null,
    open: async (exercise) => {
      const uri = await draft(exercise);
      await vscode.window.showTextDocument(uri, { viewColumn: editorColumn(), preview: false });
      return { file: uri.fsPath };
    },
    check: async (exercise) => {
      requireTrust();
      await save(await draft(exercise));
      const result = await server.ask("qkv/checkExercise", { exercise });
      checks.set(exercise, result);
      checked.fire(result);
      return result;
    },
    reset: async (exercise) => {
      await save(await draft(exercise));
      const [entry] = (await server.ask("qkv/resetExercise", { exercise })).reset;
      if (entry?.copy) {
        resets.set(exercise, entry);
      }
      return Boolean(entry?.copy);
    },
    undoReset: async (exercise) => {
      const entry = resets.get(exercise);
      if (!entry?.copy) {
        return;
      }
      const copy = await vscode.workspace.openTextDocument(vscode.Uri.file(entry.copy));
      await replaceText(vscode.Uri.file(entry.file), copy.getText());
      resets.delete(exercise);
    },
    compare: async (exercise) => {
      const [uri, solution] = await Promise.all([draft(exercise), server.ask("qkv/solution", { exercise })]);
      const right = documents.put(`${exercise}/solution.py`, solution.code);
      await vscode.commands.executeCommand("vscode.diff", uri, right, vscode.l10n.t("{0}: yours and the solution", exercise), {
        viewColumn: editorColumn(),
      });
    },
    dispose: () => checked.dispose(),
  };
}

/** The column for a file: the first one, unless the lesson itself is open in it. */
function editorColumn(): vscode.ViewColumn {
  const editor = vscode.window.visibleTextEditors.find((one) => one.viewColumn !== undefined);
  return editor?.viewColumn ?? (isLessonTab(vscode.window.tabGroups.activeTabGroup.activeTab) ? vscode.ViewColumn.Beside : vscode.ViewColumn.One);
}

function isLessonTab(tab: vscode.Tab | undefined): boolean {
  return tab?.input instanceof vscode.TabInputWebview && tab.input.viewType.endsWith("qkv.lessonBeside");
}

async function save(uri: vscode.Uri): Promise<void> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open?.isDirty) {
    await open.save();
  }
}

/** Replaces a file's text as an edit, so that the editor's own undo works too. */
async function replaceText(uri: vscode.Uri, text: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, document.validateRange(new vscode.Range(0, 0, document.lineCount, 0)), text);
  await vscode.workspace.applyEdit(edit);
  await document.save();
}
