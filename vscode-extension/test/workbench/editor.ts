/** What one does in VS Code's editor, and what is to be seen there. */
import type { Locator, Page } from "playwright-core";

/** Runs a command of the palette by its title. */
export async function command(page: Page, title: string): Promise<void> {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input.input").fill(`>${title}`);
  await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: title }).first().waitFor();
  await page.keyboard.press("Enter");
}

/** The line of the active editor that holds a text. The editor shows spaces as no-break spaces. */
export function line(page: Page, text: string): Locator {
  const pattern = text
    .split(" ")
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("\\s");
  return page.locator(".editor-group-container.active .view-line").filter({ hasText: new RegExp(pattern) }).first();
}

/** Puts the mouse on a word of a line. */
export async function pointAt(page: Page, inLine: string, word: string): Promise<void> {
  const target = line(page, inLine);
  await target.waitFor();
  const box = await target.evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = (node as Text).data.indexOf(wanted);
      if (at >= 0) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + wanted.length);
        const { x, y, width, height } = range.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }
    }
    throw new Error(`${wanted} is not in ${element.textContent}`);
  }, word);
  await page.mouse.move(box.x - 3, box.y);
  await page.mouse.move(box.x, box.y);
}

/** The hover that is shown, once it has this text. */
export async function hover(page: Page, text: string | RegExp): Promise<Locator> {
  const found = page.locator(".monaco-hover:not(.hidden)").filter({ hasText: text }).first();
  await found.waitFor();
  return found;
}

/** Puts the cursor on a line and column, both from 1. */
export async function goTo(page: Page, row: number, column: number): Promise<void> {
  await page.keyboard.press("Control+G");
  await page.locator(".quick-input-widget input.input").fill(`:${row}:${column}`);
  await page.keyboard.press("Enter");
  await page.locator(".quick-input-widget").waitFor({ state: "hidden" });
}

export function squiggles(page: Page, severity: "error" | "warning"): Locator {
  return page.locator(`.editor-group-container.active .squiggly-${severity}`);
}

export function notification(page: Page, text: string | RegExp): Locator {
  return page.locator(".notification-toast").filter({ hasText: text });
}
