/** The blocks of a text. Those that do something are made by their own files. */
import type { Block } from "../../server/content.ts";
import { coloured } from "./code.ts";
import { h } from "./dom.ts";
import { inlines } from "./inlines.ts";
import { math } from "./math.ts";
import type { Page } from "./page.ts";
import { t } from "./sentences.ts";

/** Makes the blocks that only a lesson has: cells, pictures, exercises. */
export type Special = (block: Extract<Block, { kind: "cell" | "picture" | "exercise" }>) => Node | null;

/** `level` is that of the heading above, so that headings inside come in order. */
export function blocks(page: Page, all: readonly Block[], level: number, special: Special = () => null): Node[] {
  return all.map((block) => one(page, block, level, special)).filter((node) => node !== null);
}

function one(page: Page, block: Block, level: number, special: Special): Node | null {
  switch (block.kind) {
    case "paragraph":
      return h("p", {}, ...inlines(page, block.inlines));
    case "heading":
      return heading(Math.max(level + 1, block.level), inlines(page, block.inlines));
    case "list":
      return h(
        block.ordered ? "ol" : "ul",
        {},
        ...block.items.map((item) => {
          const [first] = item;
          const isLine = item.length === 1 && first?.kind === "paragraph";
          return h("li", {}, ...(isLine ? inlines(page, first.inlines) : blocks(page, item, level, special)));
        }),
      );
    case "code":
      return readOnlyCode(block.text, block.language);
    case "math":
      return h("div", { class: "formula", tabindex: 0, role: "group", "aria-label": t("Formula") }, math(block.mathml, block.tex, "block"));
    case "table":
      return table(page, block);
    case "note":
      return h("div", { class: "note", role: "note" }, ...blocks(page, block.blocks, level, special));
    case "quote":
      return h("blockquote", {}, ...blocks(page, block.blocks, level, special));
    case "cell":
    case "picture":
    case "exercise":
      return special(block);
  }
}

export function heading(level: number, children: readonly (Node | string)[]): HTMLHeadingElement {
  const tags = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;
  return h(tags[Math.min(level, 6) - 1] ?? "h6", {}, ...children);
}

export function readOnlyCode(text: string, language: string, label = t("Code")): HTMLElement {
  return h("pre", { class: "code", tabindex: 0, role: "group", "aria-label": label }, h("code", {}, ...coloured(text.replace(/\n$/, ""), language)));
}

function table(page: Page, { header, rows }: Extract<Block, { kind: "table" }>): HTMLElement {
  return h(
    "div",
    { class: "scrolls", tabindex: 0, role: "group", "aria-label": t("Table") },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...header.map((cell) => h("th", { scope: "col" }, ...inlines(page, cell))))),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map((cell) => h("td", {}, ...inlines(page, cell)))))),
    ),
  );
}
