/** The course as a learner takes it: read, run, solve, answer, and come back later. */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import type { Page } from "playwright-core";
import { command, line, notification } from "./editor.ts";
import { cell, exercise, lessonPage, openPart } from "./lesson.ts";
import { story } from "./scenario.ts";

const TITLE = "Multi-head attention";
const START = "def split_heads(x, h):\n    B, n, d = x.shape\n";
const STRAIGHT = `${START}    return x.view(B, h, n, d // h)\n`;
const RIGHT = `${START}    return x.view(B, n, h, d // h).transpose(1, 2)\n`;

/** Replaces the active editor's text, as pasting does. */
async function writeAll(page: Page, text: string): Promise<void> {
  await page.locator(".editor-group-container.active .view-lines").click();
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press("Control+A");
  await page.keyboard.press("Control+V");
}

story("course", { name: "course" }, (scenario) => {
  scenario("the tree opens part 3 in the secondary side bar", async ({ page, shot }) => {
    const lesson = await openPart(page, TITLE);
    await page.locator("#workbench\\.parts\\.auxiliarybar iframe, .part.auxiliarybar").first().waitFor();
    assert.match(await lesson.locator("header .eyebrow").innerText(), /Part 3 of 10 · Advanced · 17 min/);
    await shot("lesson");
  });

  scenario("a cell says what to do, and runs", async ({ page, shot }) => {
    const builtIn = cell(lessonPage(page), "built_in");
    await builtIn.getByText("Press Run to see the output").waitFor();
    await builtIn.getByRole("button", { name: "Run built_in" }).click();
    await builtIn.locator(".output", { hasText: "(4, 32, 512)" }).waitFor();
    assert.match(await builtIn.locator(".output").innerText(), /\(4, 32, 512\)\n\(4, 32, 32\)\n\(4, 8, 32, 32\)/);
    await builtIn.getByText(/Finished in \d/).waitFor();
    await shot("run");
  });

  scenario("an experiment is changed in place, with the keyboard, and its picture is drawn", async ({ page, shot }) => {
    const lesson = lessonPage(page);
    const patterns = cell(lesson, "two_patterns");
    const code = patterns.getByRole("textbox");
    await code.focus();
    await code.press("Control+End");
    await page.keyboard.type('\nprint("mine")');
    await code.press("Control+Enter");
    await patterns.locator(".output", { hasText: "mine" }).waitFor();
    const picture = lesson.locator('[data-picture="patterns"]');
    await picture.locator("svg").first().waitFor();
    await picture.getByText("Show as table").click();
    await picture.locator("td", { hasText: "0.94" }).first().waitFor();
    await picture.scrollIntoViewIfNeeded();
    await shot("picture");
  });

  scenario("Stop ends a cell that runs for ever, and what it printed stays", async ({ page }) => {
    const memory = cell(lessonPage(page), "score_memory");
    await memory.getByRole("textbox").fill('import time\nprint("before", flush=True)\nwhile True:\n    time.sleep(0.01)\n');
    await memory.getByRole("button", { name: "Run score_memory" }).click();
    await memory.locator(".output", { hasText: "before" }).waitFor();
    await memory.getByRole("button", { name: "Stop score_memory" }).click();
    await memory.getByText(/Stopped after/).waitFor();
    assert.match(await memory.locator(".output").innerText(), /before/);
    await memory.getByRole("button", { name: "Reset code" }).click();
    await memory.getByRole("button", { name: "Undo" }).waitFor();
    assert.match(await memory.getByRole("textbox").inputValue(), /for heads in/);
  });

  scenario("an error says what it is, and where, folded", async ({ page }) => {
    const slices = cell(lessonPage(page), "slices");
    await slices.getByRole("textbox").fill("print('one')\n1 / 0\n");
    await slices.getByRole("button", { name: "Run slices" }).click();
    await slices.getByRole("alert").filter({ hasText: "ZeroDivisionError" }).waitFor();
    assert.equal(await slices.locator("details").getAttribute("open"), null);
    await slices.getByRole("button", { name: "Reset code" }).click();
  });

  scenario("an exercise opens as a file of the learner's", async ({ page, data, shot }) => {
    await exercise(lessonPage(page), "split_heads").getByRole("button", { name: "Open split_heads" }).click();
    await page.locator(".tab.active", { hasText: "split_heads.py" }).waitFor();
    await line(page, "def split_heads").waitFor();
    await page.locator(".codelens-decoration a", { hasText: "Check" }).waitFor();
    assert.ok(fs.existsSync(path.join(data, "courses/transformers/multi-head-attention/split_heads.py")));
    await shot("exercise");
  });

  scenario("view_straight is named as what it is", async ({ page, shot }) => {
    await writeAll(page, STRAIGHT);
    await page.locator(".codelens-decoration a", { hasText: "Check" }).click();
    const feedback = exercise(lessonPage(page), "split_heads").locator('[data-feedback="view_straight"]');
    await feedback.waitFor();
    assert.match(await feedback.innerText(), /pieces of several tokens[\s\S]*Which|Where[\s\S]*Read again: Split, attend, concatenate/);
    await shot("wrong");
  });

  scenario("hints come one by one", async ({ page }) => {
    const task = exercise(lessonPage(page), "split_heads");
    await task.getByRole("button", { name: "Hint" }).click();
    await task.getByRole("heading", { name: "Hint 1 of 2" }).waitFor();
    await task.getByRole("button", { name: "Hint" }).click();
    await task.getByRole("heading", { name: "Hint 2 of 2" }).waitFor();
    await task.getByRole("button", { name: "Hint" }).waitFor({ state: "hidden" });
  });

  scenario("the right answer passes", async ({ page, shot }) => {
    const task = exercise(lessonPage(page), "split_heads");
    await writeAll(page, RIGHT);
    await task.getByRole("button", { name: "Check split_heads" }).click();
    await task.locator('[data-feedback="passed"]').waitFor();
    await task.getByText("✓ passed").waitFor();
    await page.locator(".codelens-decoration a", { hasText: "Passed" }).waitFor();
    await shot("passed");
  });

  scenario("a reset can be undone", async ({ page, data }) => {
    const task = exercise(lessonPage(page), "split_heads");
    const draft = path.join(data, "courses/transformers/multi-head-attention/split_heads.py");
    await task.getByRole("button", { name: "Reset" }).click();
    await task.getByText("a copy of your version is kept").waitFor();
    await line(page, ".transpose(1, 2)").waitFor({ state: "detached" });
    assert.doesNotMatch(fs.readFileSync(draft, "utf8"), /transpose/);
    await task.getByRole("button", { name: "Undo" }).click();
    await line(page, ".transpose(1, 2)").waitFor();
    await task.getByText("Your version is back").waitFor();
    assert.match(fs.readFileSync(draft, "utf8"), /transpose/);
    await task.getByRole("button", { name: "Check split_heads" }).click();
    await task.getByText("✓ passed").waitFor();
  });

  scenario("a wrong option explains itself and may be tried again", async ({ page, shot }) => {
    const lesson = lessonPage(page);
    const question = lesson.locator('[data-question="head_width"]');
    await question.getByRole("heading", { name: "Question 1 of 5" }).waitFor();
    await question.getByRole("radio", { name: "512" }).check();
    await question.getByRole("button", { name: "Answer" }).click();
    await question.getByText("Then the heads would come on top of the width").waitFor();
    await question.scrollIntoViewIfNeeded();
    await shot("quiz");
    await question.getByRole("radio", { name: "64" }).check();
    await question.getByRole("button", { name: "Try again" }).click();
    await question.getByText("Right.").waitFor();
    await question.getByRole("button", { name: "Go on" }).press("Enter");
    await lesson.getByRole("heading", { name: "Question 2 of 5" }).waitFor();
    assert.equal(await lesson.locator(":focus").innerText(), "Question 2 of 5");
  });

  scenario("a term in the text shows its definition, opens its page, and Back leads back", async ({ page, shot }) => {
    const lesson = lessonPage(page);
    await lesson.locator("a.term").first().focus();
    await lesson.getByRole("tooltip").waitFor();
    await shot("term");
    await page.keyboard.press("Enter");
    await lesson.locator("[data-term]").waitFor();
    await lesson.getByRole("button", { name: "Back" }).click();
    await lesson.getByRole("heading", { level: 1, name: TITLE }).waitFor();
  });

  scenario("the vocabulary can be searched", async ({ page, shot }) => {
    await command(page, "qkv: Open the Vocabulary");
    const lesson = lessonPage(page);
    await lesson.getByRole("searchbox", { name: "Search" }).fill("causal mask");
    await lesson.getByRole("link", { name: "causal mask", exact: true }).waitFor();
    await shot("vocabulary");
    await lesson.getByRole("button", { name: "Back" }).click();
    await lesson.getByRole("heading", { level: 1, name: TITLE }).waitFor();
  });

  scenario("after a reload of the window, the page and the progress are still there", async ({ page, reload, shot }) => {
    await lessonPage(page).getByRole("button", { name: "Mark as read" }).first().click();
    await lessonPage(page).getByText(/1 of 4 sections read · 1 of 2 exercises passed · 1 of 5 questions right/).waitFor();
    await reload();
    const lesson = lessonPage(page);
    await lesson.getByRole("heading", { level: 1, name: TITLE }).waitFor();
    await lesson.getByText(/1 of 4 sections read · 1 of 2 exercises passed · 1 of 5 questions right/).waitFor();
    await exercise(lesson, "split_heads").getByText("✓ passed").waitFor();
    assert.match(await cell(lesson, "two_patterns").getByRole("textbox").inputValue(), /print\("mine"\)/);
    await lesson.getByRole("heading", { name: "Question 2 of 5" }).waitFor();
    await shot("reloaded");
  });

  scenario("the lesson opens beside the editor, and survives a reload there", async ({ page, reload, shot }) => {
    await command(page, "qkv: Open Lesson Beside");
    await lessonPage(page, "beside").getByRole("heading", { level: 1, name: TITLE }).waitFor();
    await shot("beside");
    await reload();
    await lessonPage(page, "beside").getByRole("heading", { level: 1, name: TITLE }).waitFor();
  });

  scenario("a command on nothing says so", async ({ page }) => {
    await command(page, "qkv: Stop what Runs");
    assert.equal(await notification(page, /./).count(), 0);
  });
});
