/** What the editor shows beside code: hovers, hints, findings, fixes, and the links that lead into the course. */
import assert from "node:assert/strict";
import { goTo, hover, line, pointAt, squiggles } from "./editor.ts";
import { lessonPage } from "./lesson.ts";
import { story } from "./scenario.ts";

const BROKEN = "import torch\n\nscores = torch.randn(2, 3) @ torch.randn(2, 3)\n";

story("code", { name: "code", files: { "broken.py": BROKEN } }, (scenario) => {
  scenario("shapes stand after names, in the axes' own names", async ({ page, openFile, shot }) => {
    await openFile("attention.py");
    await line(page, "q: (B, 8, T, 64)").waitFor();
    await line(page, "weights: (B, 8, T, T)").waitFor();
    await shot("hints");
  });

  scenario("a hover on softmax shows the shapes and the definition", async ({ page, shot }) => {
    await pointAt(page, "scores.softmax", "softmax");
    const shown = await hover(page, "Turns a row of any numbers into shares");
    assert.match(await shown.innerText(), /\(B, 8, T, T\) → \(B, 8, T, T\)/);
    await shot("hover");
  });

  scenario("the hover's link opens the term", async ({ page }) => {
    const shown = await hover(page, "Turns a row of any numbers into shares");
    await shown.getByRole("link", { name: "More" }).click();
    await lessonPage(page).getByRole("heading", { level: 1, name: "softmax" }).waitFor();
  });

  scenario("the forgotten transpose is underlined, and its fix takes the squiggle away", async ({ page, openFile, shot }) => {
    await openFile("forgotten.py");
    await squiggles(page, "error").first().waitFor();
    await pointAt(page, "q @ k", "@");
    await hover(page, /shape-matmul/);
    await shot("squiggle");
    await page.keyboard.press("Escape");
    await goTo(page, 5, 12);
    await page.keyboard.press("Control+.");
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: "Turn the last two axes of k" }).first();
    await fix.waitFor();
    await shot("fix");
    await page.keyboard.press("Enter");
    await line(page, "q @ k.transpose(-2, -1)").waitFor();
    await squiggles(page, "error").first().waitFor({ state: "detached" });
  });

  scenario("the status says which Python and which PyTorch", async ({ page, openFile, shot }) => {
    await openFile("attention.py");
    await page.locator('[id="status.languageStatus"]').hover();
    await hover(page, /PyTorch \d/);
    await shot("status");
  });

  scenario("a finding's code opens its page", async ({ page, openFile, shot }) => {
    await openFile("broken.py");
    await squiggles(page, "error").first().waitFor();
    await page.keyboard.press("Control+Shift+M");
    await page.locator(".markers-panel").locator("a.monaco-link", { hasText: "shape-matmul" }).first().click();
    await page.locator(".tab", { hasText: "shape-matmul" }).waitFor();
    await shot("finding");
  });
});
