/**
 * What a check found, in the order in which it helps:
 * one sentence, the smallest evidence, a question, the section that explains it, and at last what the program printed, folded.
 */
import type { CheckResult, Evidence } from "../../server/content.ts";
import { h, type Child } from "./dom.ts";
import { link } from "./inlines.ts";
import type { Page } from "./page.ts";
import { t } from "./sentences.ts";

export function feedback(page: Page, result: CheckResult, nameOf: (link: string) => string): Node[] {
  const { kind, message, question, evidence, line, section, key } = result.feedback;
  const tone = { passed: "good", wrong: "warning", error: "error" }[result.status];
  const verdict = { passed: t("Passed."), wrong: t("Not yet."), error: t("It does not run yet.") }[result.status];
  const where = line === null ? "" : ` ${t("Line {0}.", line)}`;
  return [
    h(
      "div",
      { class: `message message-${tone}`, "data-feedback": key ?? kind },
      h("p", {}, h("strong", {}, verdict), " ", message, where),
      evidence && evidenceTable(evidence),
      question && h("p", { class: "question" }, question),
      section && h("p", {}, link(page, section, [t("Read again: {0}", nameOf(section))])),
      result.output !== "" && h("details", {}, h("summary", {}, t("What it printed")), h("pre", { class: "output", tabindex: 0 }, result.output)),
    ),
  ];
}

function evidenceTable({ call, want, got, index, shape }: Evidence): HTMLElement {
  const rows: [string, Child][] = [];
  if (shape) {
    const axes = shape.axes ? ` ${shape.axes}` : "";
    rows.push([t("shape wanted"), code(`${tuple(shape.want)}${axes}`)], [t("shape that came"), code(tuple(shape.got))]);
  }
  if (index) {
    rows.push([t("first difference at"), code(`[${index.join(", ")}]`)]);
  }
  if (want !== null) {
    rows.push([t("wanted"), code(want)]);
  }
  if (got !== null) {
    rows.push([t("came"), code(got)]);
  }
  return h(
    "div",
    { class: "evidence" },
    call && h("p", {}, code(call)),
    rows.length > 0 && h("table", {}, h("tbody", {}, ...rows.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value))))),
  );
}

function code(text: string): HTMLElement {
  return h("code", {}, text);
}

function tuple(sizes: readonly number[]): string {
  return sizes.length === 1 ? `(${String(sizes[0])},)` : `(${sizes.join(", ")})`;
}
