/** The course as the server last told it; trees, lenses and commands read it from here. */
import * as path from "node:path";
import * as vscode from "vscode";
import { disposeAll, type Disposes } from "../disposal.ts";
import type { Server } from "../client.ts";
import type { Course, ExerciseSummary, PartSummary, TermSummary } from "../server/content.ts";

export interface CourseModel extends Disposes {
  readonly course: Course | null;
  readonly terms: readonly TermSummary[];
  readonly onDidChange: vscode.Event<void>;
  refresh(): Promise<void>;
  /** The exercise whose draft a file is. */
  exerciseOf(file: vscode.Uri): { part: PartSummary; exercise: ExerciseSummary } | null;
  partOf(exercise: string): PartSummary | null;
}

export function createCourseModel(server: Server, log: vscode.LogOutputChannel): CourseModel {
  const changed = new vscode.EventEmitter<void>();
  let course: Course | null = null;
  let terms: TermSummary[] = [];

  const refresh = async () => {
    if (server.phase.kind !== "running") {
      course = null;
      terms = [];
      changed.fire();
      return;
    }
    const [newCourse, vocabulary] = await Promise.allSettled([server.ask("qkv/course", {}), server.ask("qkv/vocabulary", {})]);
    for (const answer of [newCourse, vocabulary]) {
      if (answer.status === "rejected") {
        log.error(`the course could not be read: ${String(answer.reason)}`);
      }
    }
    course = newCourse.status === "fulfilled" ? newCourse.value : null;
    terms = vocabulary.status === "fulfilled" ? vocabulary.value.terms : [];
    changed.fire();
  };

  const subscriptions = [
    changed,
    server.onDidChangePhase(() => void refresh()),
    server.onProgressChanged(() => void refresh()),
  ];
  return {
    get course() {
      return course;
    },
    get terms() {
      return terms;
    },
    onDidChange: changed.event,
    refresh,
    exerciseOf: (file) => {
      for (const part of course?.parts ?? []) {
        const exercise = part.exercises.find((one) => one.file !== null && samePath(one.file, file.fsPath));
        if (exercise) {
          return { part, exercise };
        }
      }
      return null;
    },
    partOf: (exercise) => course?.parts.find((part) => part.exercises.some((one) => one.id === exercise)) ?? null,
    dispose: () => disposeAll(...subscriptions),
  };
}

function samePath(one: string, other: string): boolean {
  return path.normalize(one) === path.normalize(other);
}
