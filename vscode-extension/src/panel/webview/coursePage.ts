/** All parts of the course, with how far the learner is in each. */
import type { PartSummary } from "../../server/content.ts";
import { heading } from "./blocks.ts";
import { h } from "./dom.ts";
import { link } from "./inlines.ts";
import type { Page } from "./page.ts";
import { nowhere, type Shown } from "./shown.ts";
import { t } from "./sentences.ts";

export async function coursePage(page: Page): Promise<Shown> {
  const { course, parts, reviews_due: due, notice } = await page.transport.ask("qkv/course", {});
  const title = heading(1, [course.title]);
  const done = parts.filter((part) => part.done).length;
  const element = h(
    "article",
    { class: "course" },
    h("header", {}, title, h("p", { class: "summary" }, t("{0} of {1} parts done", done, parts.length))),
    notice && h("p", { class: "message message-warning", role: "alert" }, notice),
    due > 0 && h("p", { class: "note" }, due === 1 ? t("1 question is due to be repeated.") : t("{0} questions are due to be repeated.", due)),
    h("ol", { class: "parts" }, ...parts.map((part) => partItem(page, part))),
  );
  return { title: course.title, element, heading: title, scrollTo: nowhere };
}

function partItem(page: Page, part: PartSummary): HTMLElement {
  const state = { new: t("not started"), started: t("started"), done: t("✓ done") }[part.state];
  return h(
    "li",
    { class: `part ${part.state}`, value: part.number },
    heading(2, [link(page, `lesson:${part.id}`, [part.title])]),
    h("p", {}, part.summary),
    h("p", { class: "aside" }, `${part.level} · ${t("{0} min", part.minutes)} · `, h("span", { class: `badge ${part.state}` }, state)),
  );
}
