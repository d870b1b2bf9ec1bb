/** The lesson page, inside the two frames that VS Code puts around a webview. */
import type { FrameLocator, Locator, Page } from "playwright-core";

/** The page in the side bar, or the one beside the editor. */
export function lessonPage(page: Page, where: "view" | "beside" = "view"): FrameLocator {
  const purpose = where === "view" ? "[src*='purpose=webviewView']" : ":not([src*='purpose=webviewView'])";
  return page.locator(`iframe.webview[src*='extensionId=qkv.qkv']${purpose}`).contentFrame().locator("#active-frame").contentFrame();
}

export function cell(lesson: FrameLocator, id: string): Locator {
  return lesson.locator(`[data-cell="${id}"]`);
}

export function exercise(lesson: FrameLocator, id: string): Locator {
  return lesson.locator(`[data-exercise="${id}"]`);
}

/** Opens a part by the lessons' tree. */
export async function openPart(page: Page, title: string): Promise<FrameLocator> {
  const item = page.locator(".activitybar .action-item", { has: page.locator(".action-label[aria-label^='qkv']") });
  const row = page.locator(".pane-body .monaco-list-row", { hasText: title }).first();
  if (!(await row.isVisible())) {
    await item.click();
  }
  await row.click();
  const lesson = lessonPage(page);
  await lesson.locator("h1", { hasText: title }).waitFor();
  return lesson;
}
