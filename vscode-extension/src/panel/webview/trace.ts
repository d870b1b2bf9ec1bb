/** An error of the learner's program: what it says first, where it came from folded. */
import type { RunError } from "../../server/content.ts";
import { h } from "./dom.ts";
import { t } from "./sentences.ts";

export function errorTrace(error: RunError): HTMLElement {
  const where = error.line === null ? "" : t("line {0}: ", error.line);
  return h(
    "div",
    { class: "message message-error", role: "alert" },
    h("p", {}, where, h("strong", {}, error.type), error.message ? `: ${error.message}` : ""),
    error.trace.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, t("Where it happened")),
        h("ol", { class: "trace" }, ...error.trace.map(({ path, line, name }) => h("li", {}, h("code", {}, `${path}:${line}`), " ", name))),
      ),
  );
}
