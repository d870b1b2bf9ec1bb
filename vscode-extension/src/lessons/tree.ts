/** The three native trees: lessons with progress, what is due for review, and the vocabulary. */
import * as vscode from "vscode";
import type { ExerciseSummary, PartSummary, TermSummary } from "../server/content.ts";
import type { CourseModel } from "./model.ts";

type Node =
  | { kind: "part"; part: PartSummary }
  | { kind: "section"; part: PartSummary; section: PartSummary["sections"][number] }
  | { kind: "exercise"; part: PartSummary; exercise: ExerciseSummary }
  | { kind: "quiz"; part: PartSummary }
  | { kind: "review"; part: PartSummary }
  | { kind: "term"; term: TermSummary };

export function registerTrees(model: CourseModel): vscode.Disposable {
  const lessons = vscode.window.createTreeView("qkv.lessons", { treeDataProvider: provider(model, lessonNodes), showCollapseAll: true });
  const reviews = vscode.window.createTreeView("qkv.reviews", { treeDataProvider: provider(model, reviewNodes) });
  const vocabulary = vscode.window.createTreeView("qkv.vocabulary", { treeDataProvider: provider(model, vocabularyNodes) });
  const describe = model.onDidChange(() => {
    const { course } = model;
    const done = course?.parts.filter((part) => part.done).length ?? 0;
    lessons.description = course ? vscode.l10n.t("{0} of {1} parts done", done, course.parts.length) : "";
    const due = course?.reviews_due ?? 0;
    lessons.badge = due > 0 ? { value: due, tooltip: vscode.l10n.t("{0} questions to repeat", due) } : undefined;
  });
  return vscode.Disposable.from(lessons, reviews, vocabulary, describe);
}

type Children = (model: CourseModel, parent: Node | undefined) => Node[];

function provider(model: CourseModel, children: Children): vscode.TreeDataProvider<Node> {
  const changed = new vscode.EventEmitter<undefined>();
  model.onDidChange(() => changed.fire(undefined));
  return {
    onDidChangeTreeData: changed.event,
    getChildren: (parent) => children(model, parent),
    getTreeItem: item,
  };
}

function lessonNodes(model: CourseModel, parent: Node | undefined): Node[] {
  if (!parent) {
    return (model.course?.parts ?? []).map((part) => ({ kind: "part", part }));
  }
  if (parent.kind !== "part") {
    return [];
  }
  const { part } = parent;
  return [
    ...part.sections.map((section): Node => ({ kind: "section", part, section })),
    ...part.exercises.map((exercise): Node => ({ kind: "exercise", part, exercise })),
    ...(part.quiz.questions > 0 ? [{ kind: "quiz", part } as const] : []),
  ];
}

function reviewNodes(model: CourseModel): Node[] {
  return (model.course?.parts ?? []).filter((part) => part.quiz.missed > 0).map((part) => ({ kind: "review", part }));
}

function vocabularyNodes(model: CourseModel): Node[] {
  return [...model.terms].sort((a, b) => a.name.localeCompare(b.name)).map((term) => ({ kind: "term", term }));
}

function item(node: Node): vscode.TreeItem {
  switch (node.kind) {
    case "part":
      return partItem(node.part);
    case "section":
      return leaf(node.section.title, node.section.read ? "check" : "book", {
        id: `${node.part.id}#${node.section.id}`,
        spoken: node.section.read ? vscode.l10n.t("read") : vscode.l10n.t("not read yet"),
        link: `lesson:${node.part.id}#${node.section.id}`,
      });
    case "exercise":
      return exerciseItem(node.part, node.exercise);
    case "quiz":
      return quizItem(node.part);
    case "review": {
      const count = node.part.quiz.missed;
      return leaf(node.part.title, "history", {
        id: `review:${node.part.id}`,
        description: count === 1 ? vscode.l10n.t("1 question") : vscode.l10n.t("{0} questions", count),
        link: `lesson:${node.part.id}#quiz`,
      });
    }
    case "term":
      return leaf(node.term.name, "symbol-text", { id: node.term.id, tooltip: node.term.definition, link: `term:${node.term.id}` });
  }
}

function partItem(part: PartSummary): vscode.TreeItem {
  const states = {
    new: { icon: "circle-outline", spoken: vscode.l10n.t("not started") },
    started: { icon: "circle-filled", spoken: vscode.l10n.t("started") },
    done: { icon: "pass-filled", spoken: vscode.l10n.t("done") },
  };
  const { icon, spoken } = states[part.state];
  const colour = part.state === "done" ? new vscode.ThemeColor("testing.iconPassed") : undefined;
  const result = new vscode.TreeItem(`${part.number} · ${part.title}`, vscode.TreeItemCollapsibleState.Collapsed);
  result.id = part.id;
  result.contextValue = "part";
  result.iconPath = new vscode.ThemeIcon(icon, colour);
  result.description = part.state === "started" ? progress(part) : vscode.l10n.t("{0} min", part.minutes);
  result.tooltip = new vscode.MarkdownString(`**${part.title}**\n\n${part.summary}\n\n${part.level} · ${result.description}`);
  result.command = opens(`lesson:${part.id}`);
  result.accessibilityInformation = {
    label: vscode.l10n.t("Part {0}, {1}, {2}, {3}", part.number, part.title, spoken, result.description),
  };
  return result;
}

function progress(part: PartSummary): string {
  const steps = part.exercises.length + part.quiz.questions;
  const done = part.exercises.filter((exercise) => exercise.state === "passed").length + part.quiz.right;
  return vscode.l10n.t("{0} of {1} steps", done, steps);
}

function exerciseItem(part: PartSummary, exercise: ExerciseSummary): vscode.TreeItem {
  const states = {
    new: { icon: "beaker", spoken: vscode.l10n.t("not tried yet") },
    tried: { icon: "beaker", spoken: vscode.l10n.t("tried") },
    passed: { icon: "check", spoken: vscode.l10n.t("passed") },
  };
  const { icon, spoken } = states[exercise.state];
  const result = leaf(exercise.id, icon, {
    id: `${part.id}/${exercise.id}`,
    description: exercise.state === "new" ? vscode.l10n.t("exercise") : spoken,
    spoken,
    tooltip: exercise.signature,
    link: `lesson:${part.id}/${exercise.id}`,
  });
  result.contextValue = "exercise";
  return result;
}

function quizItem(part: PartSummary): vscode.TreeItem {
  const { questions, right } = part.quiz;
  return leaf(vscode.l10n.t("Quiz"), right === questions ? "check" : "question", {
    id: `${part.id}#quiz`,
    description: vscode.l10n.t("{0} of {1} right", right, questions),
    link: `lesson:${part.id}#quiz`,
  });
}

interface Leaf {
  id: string;
  link: string;
  description?: string;
  tooltip?: string;
  /** What a screen reader adds to the label, where the icon says it to the others. */
  spoken?: string;
}

function leaf(label: string, icon: string, more: Leaf): vscode.TreeItem {
  const result = new vscode.TreeItem(label);
  result.id = more.id;
  result.iconPath = new vscode.ThemeIcon(icon);
  result.command = opens(more.link);
  if (more.description !== undefined) {
    result.description = more.description;
  }
  if (more.tooltip !== undefined) {
    result.tooltip = more.tooltip;
  }
  if (more.spoken !== undefined) {
    result.accessibilityInformation = { label: `${label}, ${more.spoken}` };
  }
  return result;
}

function opens(link: string): vscode.Command {
  return { command: "qkv.open", title: vscode.l10n.t("Open"), arguments: [link] };
}
