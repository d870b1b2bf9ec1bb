/** `qkv.open`, links from outside, and the commands that show a page. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";
import type { Server } from "../client.ts";
import type { CourseModel } from "../lessons/model.ts";
import { parseLink, type Place } from "../links.ts";
import type { Pages } from "../panel/pages.ts";
import type { Explanation } from "../server/content.ts";
import type { VirtualDocuments } from "../virtualDocuments.ts";

export function registerOpen(pages: Pages, model: CourseModel, server: Server, documents: VirtualDocuments): vscode.Disposable {
  const open = async (text: unknown) => {
    const link = typeof text === "string" ? parseLink(text) : null;
    if (!link) {
      void vscode.window.showWarningMessage(vscode.l10n.t("This is no link that qkv can open: {0}", String(text)));
    } else if (link.kind === "diagnostic") {
      await showDiagnostic(link.code, server, documents);
    } else {
      await pages.show(link);
    }
  };
  const beside = (node: unknown) => pages.showBeside(placeOf(node) ?? pages.place);

  return vscode.Disposable.from(
    vscode.commands.registerCommand("qkv.open", open),
    vscode.commands.registerCommand("qkv.openLessons", () => pickLesson(pages, model)),
    vscode.commands.registerCommand("qkv.openLessonBeside", beside),
    vscode.commands.registerCommand("qkv.openVocabulary", () => pages.show({ kind: "vocabulary" })),
    vscode.window.registerUriHandler({
      // SCHEME://qkv.qkv/open?lesson:PART#SECTION — the section arrives as the fragment
      handleUri: (uri) => (uri.path === "/open" ? open(uri.fragment ? `${uri.query}#${uri.fragment}` : uri.query) : undefined),
    }),
  );
}

/** The place of a tree's node, where a command was called on one. */
function placeOf(node: unknown): Place | null {
  if (typeof node !== "object" || node === null) {
    return null;
  }
  const part: unknown = Reflect.get(node, "part");
  const id: unknown = typeof part === "object" && part !== null ? Reflect.get(part, "id") : null;
  return typeof id === "string" ? { kind: "lesson", part: id } : null;
}

async function pickLesson(pages: Pages, model: CourseModel): Promise<void> {
  const parts = model.course?.parts ?? [];
  if (parts.length === 0) {
    await pages.show({ kind: "course" });
    return;
  }
  const icons = { new: "circle-outline", started: "circle-filled", done: "pass-filled" };
  const items = parts.map((part) => ({
    label: `$(${icons[part.state]}) ${part.number} · ${part.title}`,
    description: vscode.l10n.t("{0} min", part.minutes),
    detail: part.summary,
    id: part.id,
  }));
  const chosen = await vscode.window.showQuickPick(items, { placeHolder: vscode.l10n.t("Which part?"), matchOnDetail: true });
  if (chosen) {
    await pages.show({ kind: "lesson", part: chosen.id });
  }
}

/** Shows the page of a diagnostic in VS Code's own Markdown preview. */
async function showDiagnostic(code: string, server: Server, documents: VirtualDocuments): Promise<void> {
  const line = server.commandLine("explain", code, "--format", "json");
  if (!line) {
    await vscode.commands.executeCommand("qkv.installPython");
    return;
  }
  try {
    const { stdout } = await promisify(execFile)(line.command, line.args, { cwd: line.cwd, timeout: 20_000 });
    const page = JSON.parse(stdout) as Explanation;
    const uri = documents.put(`${code}.md`, followable(page.markdown));
    await vscode.commands.executeCommand("markdown.showPreview", uri);
  } catch (error) {
    const detail = error instanceof Error ? error.message.trim().split("\n").at(-1) : String(error);
    void vscode.window.showErrorMessage(vscode.l10n.t("There is no page for {0}: {1}", code, detail ?? ""));
  }
}

/** Links of the course, as links that the Markdown preview can follow. */
function followable(markdown: string): string {
  return markdown.replace(/\]\(((?:lesson|term|diagnostic):[^)\s]+)\)/g, `](${vscode.env.uriScheme}://qkv.qkv/open?$1)`);
}
