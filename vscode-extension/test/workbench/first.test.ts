import { test } from "node:test";
import { line, pointAt, hover } from "./editor.ts";
import { openPart, cell, exercise } from "./lesson.ts";
import { startWorkbench } from "./workbench.ts";

test("look", async () => {
  const w = await startWorkbench({ name: "look" });
  try {
    await w.openFile("attention.py");
    await line(w.page, "(B, 8, T, 64)").waitFor();
    await pointAt(w.page, "scores.softmax", "softmax");
    await hover(w.page, /softmax/);
    await w.shot("hover");
    const lesson = await openPart(w.page, "Multi-head attention");
    await w.shot("lesson");
    await cell(lesson, "builtin").getByRole("button", { name: "Run" }).click();
    await cell(lesson, "builtin").locator(".output", { hasText: "(4, 32, 512)" }).waitFor();
    await w.shot("ran");
    await cell(lesson, "patterns").getByRole("button", { name: "Run" }).click();
    await lesson.locator("[data-picture=curve] svg").waitFor();
    await lesson.locator("[data-picture=heads]").scrollIntoViewIfNeeded();
    await w.shot("pictures");
    await exercise(lesson, "split_heads").scrollIntoViewIfNeeded();
    await w.shot("exercise");
  } catch (e) { await w.shot("failed"); throw e; } finally { await w.close(); }
});
