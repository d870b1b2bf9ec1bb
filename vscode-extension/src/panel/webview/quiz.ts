/** The quiz: one question at a time; a wrong option says why and may be tried again; what was missed comes back at the end. */
import type { Answered, Lesson, Question } from "../../server/content.ts";
import { blocks, heading } from "./blocks.ts";
import { focusOn, freshId, h } from "./dom.ts";
import { inlines } from "./inlines.ts";
import { button, failureNote, type Page } from "./page.ts";
import { t } from "./sentences.ts";

export function quiz(page: Page, lesson: Lesson): HTMLElement {
  const questions = lesson.quiz;
  const right = new Set(questions.filter((question) => question.answered === "right").map((question) => question.id));
  const score = h("p", { class: "aside" });
  const stage = h("div", { class: "stage" });
  let queue = questions.filter((question) => !right.has(question.id));

  const showScore = () => {
    score.textContent = t("{0} of {1} answered rightly", right.size, questions.length);
  };
  const showNext = (focus: boolean) => {
    const [next] = queue;
    const shown = next ? ask(next) : finished();
    stage.replaceChildren(shown.element);
    if (focus) {
      focusOn(shown.heading);
    }
  };
  const finished = () => {
    const title = heading(3, [t("All {0} questions are answered", questions.length)]);
    const again = button(t("Answer them again"), () => {
      queue = [...questions];
      showNext(true);
    });
    return { heading: title, element: h("div", {}, title, h("div", { class: "buttons" }, again)) };
  };
  const ask = (question: Question) => {
    const later = () => {
      queue = [...queue.slice(1), question];
      showNext(true);
    };
    const done = (missed: boolean) => {
      // A question that was missed first comes back once more, at the end.
      queue = missed ? [...queue.slice(1), question] : queue.slice(1);
      showNext(true);
    };
    return questionForm(page, lesson.id, question, questions.indexOf(question) + 1, questions.length, {
      onRight: () => {
        right.add(question.id);
        showScore();
      },
      done,
      later: queue.length > 1 ? later : null,
    });
  };

  showScore();
  showNext(false);
  return h("section", { class: "quiz", id: "quiz", "aria-labelledby": "quiz-title" }, h("h2", { id: "quiz-title", tabindex: -1 }, t("Quiz")), score, stage);
}

interface Turn {
  onRight(): void;
  /** Go on; `missed` where the first answer was wrong. */
  done(missed: boolean): void;
  later: (() => void) | null;
}

function questionForm(page: Page, part: string, question: Question, number: number, of: number, turn: Turn) {
  const title = heading(3, [t("Question {0} of {1}", number, of)]);
  const group = freshId("question");
  const type = question.multiple ? "checkbox" : "radio";
  const inputs = question.options.map((_, index) => h("input", { type, name: group, value: index, id: `${group}-${index}` }));
  const verdict = h("div", { role: "status" });
  const answer = h("button", { type: "submit", class: "button primary" }, t("Answer"));
  const skip = turn.later && button(t("Later"), turn.later, "quiet");
  const buttons = h("div", { class: "buttons" }, answer, skip);
  let missed = false;

  const submit = async () => {
    const chosen = inputs.flatMap((input, index) => (input.checked ? [index] : []));
    if (chosen.length === 0) {
      verdict.replaceChildren(h("p", {}, t("Choose an answer first.")));
      return;
    }
    try {
      const result = await page.transport.ask("qkv/answer", { part, question: question.id, chosen });
      verdict.replaceChildren(judged(page, result));
      if (result.right) {
        inputs.forEach((input) => (input.disabled = true));
        turn.onRight();
        const next = button(t("Go on"), () => turn.done(missed), "primary");
        buttons.replaceChildren(next);
        next.focus();
      } else {
        missed = true;
        answer.textContent = t("Try again");
      }
    } catch (error) {
      verdict.replaceChildren(failureNote(page, error));
    }
  };

  const [first, ...rest] = question.blocks;
  const legend = first?.kind === "paragraph" ? inlines(page, first.inlines) : first ? blocks(page, [first], 3) : [];
  const options = question.options.map((option, index) => {
    const input = inputs[index];
    const [only] = option.blocks;
    const words = option.blocks.length === 1 && only?.kind === "paragraph" ? inlines(page, only.inlines) : blocks(page, option.blocks, 3);
    return h("div", { class: "option" }, input, h("label", { for: `${group}-${index}` }, ...words));
  });
  const form = h(
    "form",
    {
      class: "question-form",
      "data-question": question.id,
      onsubmit: (event) => {
        event.preventDefault();
        void submit();
      },
    },
    title,
    h(
      "fieldset",
      {},
      h("legend", {}, ...legend),
      ...blocks(page, rest, 3),
      question.multiple && h("p", { class: "aside" }, t("More than one may be right.")),
      ...options,
    ),
    verdict,
    buttons,
  );
  return { heading: title, element: form };
}

function judged(page: Page, result: Answered): HTMLElement {
  const tone = result.right ? "good" : "warning";
  return h(
    "div",
    { class: `message message-${tone}` },
    h("p", {}, h("strong", {}, result.right ? t("Right.") : t("Not quite."))),
    ...result.notes.flatMap((note) => blocks(page, note.blocks, 3)),
  );
}
