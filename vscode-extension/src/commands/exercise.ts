/** The commands about exercises and cells, for the palette, the lenses and the trees. */
import * as vscode from "vscode";
import type { Server } from "../client.ts";
import type { Cells } from "../lessons/cells.ts";
import type { Exercises } from "../lessons/exercises.ts";
import type { CourseModel } from "../lessons/model.ts";
import type { Pages } from "../panel/pages.ts";
import type { CellBlock } from "../server/content.ts";
import { failureOf } from "../server/failure.ts";

export interface Learning {
  server: Server;
  model: CourseModel;
  exercises: Exercises;
  cells: Cells;
  pages: Pages;
}

export function registerExerciseCommands(learning: Learning): vscode.Disposable {
  const { exercises, cells, pages } = learning;
  const onExercise = (command: string, action: (exercise: string) => Promise<void>) =>
    vscode.commands.registerCommand(command, async (argument: unknown) => {
      const exercise = named(argument) ?? openDraft(learning) ?? (await pick(learning));
      if (exercise) {
        await said(() => action(exercise));
      }
    });
  return vscode.Disposable.from(
    onExercise("qkv.openExercise", async (exercise) => {
      await exercises.open(exercise);
    }),
    onExercise("qkv.checkExercise", async (exercise) => {
      await showInLesson(learning, exercise);
      await exercises.check(exercise);
    }),
    onExercise("qkv.showHint", async (exercise) => {
      await showInLesson(learning, exercise);
      pages.send("hint", { exercise });
    }),
    onExercise("qkv.resetExercise", (exercise) => reset(learning, exercise)),
    vscode.commands.registerCommand("qkv.runCell", () => said(() => runCell(learning))),
    vscode.commands.registerCommand("qkv.stop", () => said(() => cells.stopAll())),
  );
}

/** Runs an action of the user's; where it fails, says why. */
async function said(action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    void vscode.window.showErrorMessage(failureOf(error).message);
  }
}

async function showInLesson({ model, pages }: Learning, exercise: string): Promise<void> {
  const part = model.partOf(exercise);
  if (part) {
    await pages.show({ kind: "lesson", part: part.id, exercise });
  }
}

async function reset({ exercises }: Learning, exercise: string): Promise<void> {
  const undo = vscode.l10n.t("Undo");
  const undoable = await exercises.reset(exercise);
  const message = vscode.l10n.t("{0} is back at its start.", exercise);
  const answer = await vscode.window.showInformationMessage(message, ...(undoable ? [undo] : []));
  if (answer === undo) {
    await exercises.undoReset(exercise);
  }
}

/** A lens gives the exercise's id, the tree its node. */
function named(argument: unknown): string | null {
  if (typeof argument === "string") {
    return argument;
  }
  const exercise: unknown = typeof argument === "object" && argument !== null ? Reflect.get(argument, "exercise") : null;
  const id: unknown = typeof exercise === "object" && exercise !== null ? Reflect.get(exercise, "id") : null;
  return typeof id === "string" ? id : null;
}

function openDraft({ model }: Learning): string | null {
  const uri = vscode.window.activeTextEditor?.document.uri;
  return uri ? (model.exerciseOf(uri)?.exercise.id ?? null) : null;
}

async function pick({ model }: Learning): Promise<string | null> {
  const items = (model.course?.parts ?? []).flatMap((part) =>
    part.exercises.map((exercise) => ({ label: exercise.id, description: part.title, detail: exercise.signature })),
  );
  return (await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t("Which exercise?") }))?.label ?? null;
}

async function runCell({ server, cells, pages }: Learning): Promise<void> {
  const { place } = pages;
  if (place.kind !== "lesson") {
    void vscode.window.showInformationMessage(vscode.l10n.t("Open a lesson first."));
    return;
  }
  const lesson = await server.ask("qkv/lesson", { part: place.part });
  const items = lesson.sections.flatMap((section) =>
    section.blocks
      .filter((block): block is CellBlock => block.kind === "cell")
      .map((cell) => ({ label: cell.title ?? cell.id, detail: cell.code.split("\n").find((line) => line.trim()) ?? "", section, cell })),
  );
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t("Which cell?") });
  if (chosen) {
    await pages.show({ kind: "lesson", part: lesson.id, section: chosen.section.id });
    await cells.run(lesson.id, chosen.cell.id, cells.drafts(lesson.id)[chosen.cell.id] ?? null);
  }
}
