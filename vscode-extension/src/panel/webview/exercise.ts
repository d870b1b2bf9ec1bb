/** An exercise: its text, its draft in the editor, Check with feedback, hints one by one, the solution, and a way back. */
import type { CheckResult, ExerciseBlock, ExerciseState } from "../../server/content.ts";
import { blocks, heading, readOnlyCode } from "./blocks.ts";
import { focusOn, h } from "./dom.ts";
import { feedback } from "./feedback.ts";
import { button, failureNote, type Page } from "./page.ts";
import { t } from "./sentences.ts";

export interface ExerciseView {
  element: HTMLElement;
  /** The server's newest word on it. */
  update(state: ExerciseState, attempts: number): void;
  nextHint(): Promise<void>;
}

/** `nameOf` says in words where a link of the feedback leads. */
export function exercise(page: Page, block: ExerciseBlock, lastCheck: CheckResult | null, nameOf: (link: string) => string): ExerciseView {
  const { transport } = page;
  const id = block.id;
  const badge = h("span", { class: "badge" });
  const answer = h("div", { class: "feedback", role: "status" });
  const hints = h("div", { class: "hints" });
  const more = h("div", {});

  const guarded = (action: () => Promise<void>) => async () => {
    try {
      await action();
    } catch (error) {
      answer.replaceChildren(failureNote(page, error));
    }
  };
  const on = (label: string, action: () => Promise<void>, kind: "primary" | "secondary" | "quiet" = "secondary") =>
    button(label, () => void guarded(action)(), kind);

  const open = on(t("Open"), async () => {
    await transport.ask("host/openExercise", { exercise: id });
  });
  open.setAttribute("aria-label", t("Open {0} in the editor", id));
  const check = on(
    t("Check"),
    async () => {
      if (check.hasAttribute("aria-disabled")) {
        return;
      }
      check.setAttribute("aria-disabled", "true");
      answer.replaceChildren(h("p", { class: "run-status running" }, t("Checking…")));
      try {
        await transport.ask("host/checkExercise", { exercise: id });
      } finally {
        check.removeAttribute("aria-disabled");
      }
    },
    "primary",
  );
  check.setAttribute("aria-label", t("Check {0}", id));
  const hint = on(t("Hint"), () => nextHint(), "quiet");
  const solution = on(t("Solution"), () => showSolution(), "quiet");
  const compare = on(
    t("Compare"),
    async () => {
      await transport.ask("host/compareSolution", { exercise: id });
    },
    "quiet",
  );
  const reset = on(t("Reset"), () => startAgain(), "quiet");

  const nextHint = async () => {
    const { hints: shown, of } = await transport.ask("qkv/hint", { exercise: id });
    const list = shown.map((content, index) =>
      h("div", { class: "hint" }, heading(4, [t("Hint {0} of {1}", index + 1, of)]), ...blocks(page, content, 4)),
    );
    hints.replaceChildren(...list);
    hint.hidden = shown.length >= of;
    const last = list.at(-1)?.querySelector("h4");
    if (last) {
      focusOn(last);
    }
  };

  const showSolution = async () => {
    const { code, others, blocks: why } = await transport.ask("qkv/solution", { exercise: id });
    const title = heading(4, [t("Solution")]);
    more.replaceChildren(
      title,
      readOnlyCode(code, "python", t("Solution of {0}", id)),
      ...blocks(page, why, 4),
      ...others.flatMap((other) => [h("p", {}, t("Another way:")), readOnlyCode(other, "python", t("Another solution of {0}", id))]),
    );
    solution.hidden = true;
    focusOn(title);
  };

  const startAgain = async () => {
    const { undo } = await transport.ask("host/resetExercise", { exercise: id });
    const back = button(
      t("Undo"),
      () =>
        void guarded(async () => {
          await transport.ask("host/undoReset", { exercise: id });
          answer.replaceChildren(h("p", {}, t("Your version is back.")));
          reset.focus();
        })(),
      "secondary",
    );
    answer.replaceChildren(h("p", {}, t("The file is back at its start; a copy of your version is kept.")), ...(undo ? [back] : []));
  };

  const showCheck = (result: CheckResult) => {
    answer.replaceChildren(...feedback(page, result, nameOf));
    compare.hidden = result.status !== "passed";
  };
  const update = (state: ExerciseState, attempts: number) => {
    badge.className = `badge ${state}`;
    badge.textContent = { new: t("not tried yet"), tried: attempts === 1 ? t("1 try") : t("{0} tries", attempts), passed: t("✓ passed") }[state];
    compare.hidden = state !== "passed";
  };

  transport.on(
    "checked",
    (result) => {
      if (result.exercise === id) {
        showCheck(result);
      }
    },
    page.over,
  );
  hint.hidden = block.hints === 0;
  update(block.state, block.attempts);
  if (lastCheck) {
    showCheck(lastCheck);
  }

  const element = h(
    "section",
    { class: "exercise", "aria-labelledby": `exercise-${id}`, "data-exercise": id },
    h("p", { class: "eyebrow" }, t("Exercise · {0} min", block.minutes), " · ", badge),
    named(heading(3, [h("code", {}, block.signature)]), `exercise-${id}`),
    ...blocks(page, block.blocks, 3),
    h("div", { class: "buttons" }, open, check, hint, solution, compare, reset),
    answer,
    hints,
    more,
  );
  return { element, update, nextHint: guarded(nextHint) };
}

function named(element: HTMLHeadingElement, id: string): HTMLHeadingElement {
  element.id = id;
  element.tabIndex = -1;
  return element;
}
