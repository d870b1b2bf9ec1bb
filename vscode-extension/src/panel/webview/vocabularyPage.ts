/** The vocabulary with its search, and the page of one term. */
import { blocks, heading } from "./blocks.ts";
import { h } from "./dom.ts";
import { inlines, link } from "./inlines.ts";
import { math } from "./math.ts";
import type { Page } from "./page.ts";
import { nowhere, type Shown } from "./shown.ts";
import { t } from "./sentences.ts";

export async function vocabularyPage(page: Page): Promise<Shown> {
  const terms = [...(await page.terms()).values()].sort((a, b) => a.name.localeCompare(b.name));
  const title = heading(1, [t("Vocabulary")]);
  const count = h("p", { class: "aside", role: "status" });
  const entries = terms.map((term) => ({
    words: `${term.name} ${term.definition}`.toLowerCase(),
    name: term.name.toLowerCase(),
    element: h("div", { class: "entry" }, h("dt", {}, link(page, `term:${term.id}`, [term.name])), h("dd", {}, term.definition)),
  }));
  const list = h("dl", { class: "entries" });

  const search = h("input", {
    type: "search",
    id: "search",
    autocomplete: "off",
    placeholder: t("softmax, head, …"),
    oninput: () => filter(),
  });
  const filter = () => {
    const wanted = search.value.trim().toLowerCase();
    const found = entries.filter((entry) => entry.words.includes(wanted));
    // Those whose name has the word come first.
    found.sort((a, b) => Number(b.name.includes(wanted)) - Number(a.name.includes(wanted)));
    list.replaceChildren(...found.map((entry) => entry.element));
    count.textContent = found.length === 1 ? t("1 term") : t("{0} terms", found.length);
  };
  filter();
  const element = h("article", { class: "vocabulary" }, h("header", {}, title), h("div", { class: "field" }, h("label", { for: "search" }, t("Search")), search), count, list);
  return { title: t("Vocabulary"), element, heading: title, scrollTo: nowhere };
}

export async function termPage(page: Page, id: string): Promise<Shown> {
  const [term, { parts }] = await Promise.all([page.transport.ask("qkv/term", { id }), page.transport.ask("qkv/course", {})]);
  const taught = new Set([term.lesson, ...term.used_in].map((target) => partOf(target ?? "")));
  const title = heading(1, [term.name]);
  const element = h(
    "article",
    { class: "term-page", "data-term": term.id },
    h("header", {}, h("p", { class: "eyebrow" }, link(page, "vocabulary", [t("Vocabulary")])), title, h("p", { class: "summary" }, ...inlines(page, term.definition_inlines))),
    term.formula && h("div", { class: "formula", tabindex: 0, role: "group", "aria-label": t("Formula") }, math(term.formula.mathml, term.formula.tex, "block")),
    term.shape && h("p", {}, t("Shape:"), " ", h("code", {}, term.shape)),
    ...blocks(page, term.blocks, 1),
    section(t("See also"), term.see.map((other) => link(page, `term:${other.id}`, [other.name]))),
    section(
      t("In the lessons"),
      parts.filter((part) => taught.has(part.id)).map((part) => link(page, lessonOf(part.id, term.lesson), [`${part.number} · ${part.title}`])),
    ),
  );
  return { title: term.name, element, heading: title, scrollTo: nowhere };
}

/** The part of `lesson:PART#SECTION`, or of a bare id. */
function partOf(target: string): string {
  return target.replace(/^lesson:/, "").replace(/[#/].*$/, "");
}

/** A link to a part; to the very section where the term is taught, if it is that part. */
function lessonOf(part: string, taughtIn: string | null): string {
  return taughtIn !== null && partOf(taughtIn) === part ? taughtIn : `lesson:${part}`;
}

function section(name: string, links: readonly HTMLElement[]): HTMLElement | null {
  return links.length > 0 ? h("section", {}, h("h2", {}, name), h("ul", { class: "words" }, ...links.map((one) => h("li", {}, one)))) : null;
}
