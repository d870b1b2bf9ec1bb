/** A part of the course, from its title to the way on. */
import type { Place } from "../../links.ts";
import type { Block, ExerciseBlock, Lesson, PartLink, Picture, Section } from "../../server/content.ts";
import type { Kept } from "../protocol.ts";
import { blocks, heading } from "./blocks.ts";
import { cell, type CellView } from "./cell.ts";
import { focusOn, h } from "./dom.ts";
import { exercise, type ExerciseView } from "./exercise.ts";
import { inlines, link, plainText, termLink } from "./inlines.ts";
import { button, failureNote, type Page } from "./page.ts";
import { picture, type PictureView } from "./picture.ts";
import { quiz } from "./quiz.ts";
import type { Shown } from "./shown.ts";
import { t } from "./sentences.ts";

type LessonPlace = Extract<Place, { kind: "lesson" }>;

export async function lessonPage(page: Page, place: LessonPlace): Promise<Shown> {
  const { transport } = page;
  const [lesson, kept] = await Promise.all([transport.ask("qkv/lesson", { part: place.part }), transport.ask("host/kept", { part: place.part })]);
  const exercises = new Map<string, ExerciseView>();
  const progress = progressLine(lesson);

  const refresh = async () => {
    const now = await transport.ask("qkv/lesson", { part: lesson.id }).catch(() => null);
    if (now && !page.over.aborted) {
      progress.update(now);
      for (const { id, state, attempts } of exercisesOf(now)) {
        exercises.get(id)?.update(state, attempts);
      }
    }
  };
  transport.on("progressChanged", () => void refresh(), page.over);
  transport.on("hint", (wanted) => void exercises.get(wanted.exercise)?.nextHint(), page.over);

  const title = heading(1, [lesson.title]);
  const element = h(
    "article",
    { class: "lesson", "data-part": lesson.id },
    h(
      "header",
      {},
      h("p", { class: "eyebrow" }, t("Part {0} of {1} · {2} · {3} min", lesson.number, lesson.of, lesson.level, lesson.minutes)),
      title,
      h("p", { class: "summary" }, lesson.summary),
      progress.element,
    ),
    h("section", { class: "goals" }, h("h2", {}, t("Goals")), h("ul", {}, ...lesson.goals.map((goal) => h("li", {}, ...inlines(page, goal))))),
    contents(page, lesson),
    ...lesson.sections.map((section) => sectionView(page, lesson, section, kept, exercises)),
    lesson.quiz.length > 0 && quiz(page, lesson),
    words(page, lesson),
    lesson.sources.length > 0 &&
      h("section", {}, h("h2", {}, t("Sources")), h("ul", { class: "sources" }, ...lesson.sources.map((source) => h("li", {}, ...inlines(page, source))))),
    wayOn(page, lesson),
  );

  const scrollTo = (to: Place) => {
    if (to.kind !== "lesson" || to.part !== lesson.id) {
      return false;
    }
    const anchor = to.exercise ? `exercise-${to.exercise}` : to.section === "quiz" ? "quiz-title" : to.section ? `section-${to.section}` : null;
    const target = anchor && element.querySelector<HTMLElement>(`#${CSS.escape(anchor)}`);
    focusOn(target || title);
    if (!target) {
      window.scrollTo(0, 0);
    }
    return true;
  };
  return { title: lesson.title, element, heading: title, scrollTo };
}

function sectionView(page: Page, lesson: Lesson, section: Section, kept: Kept, exercises: Map<string, ExerciseView>): HTMLElement {
  const cells = new Map<string, CellView>();
  const pictures = new Map<string, PictureView>();
  // A cell that was run before says so at once, before the picture under it is made.
  const drawn = new Map<string, Picture>();
  const draw = (pictureOfCell: Picture) => {
    drawn.set(pictureOfCell.id, pictureOfCell);
    pictures.get(pictureOfCell.id)?.draw(pictureOfCell);
  };
  const nameOf = (target: string) => {
    const own = lesson.sections.find(({ id }) => target === `lesson:${lesson.id}#${id}`);
    return own ? plainText(own.title) : target.replace(/^lesson:/, "");
  };
  const special = (block: Extract<Block, { kind: "cell" | "picture" | "exercise" }>): Node => {
    switch (block.kind) {
      case "cell": {
        const view = cell(page, block, {
          part: lesson.id,
          draft: kept.drafts[block.id] ?? null,
          run: kept.runs[block.id] ?? null,
          onPictures: (all) => all.forEach(draw),
        });
        cells.set(block.id, view);
        return view.element;
      }
      case "picture": {
        const view = picture(block, (bind) => cells.get(block.cell)?.runWith(bind));
        const ready = drawn.get(block.id);
        pictures.set(block.id, view);
        if (ready) {
          view.draw(ready);
        }
        return view.element;
      }
      case "exercise": {
        const view = exercise(page, block, kept.checks[block.id] ?? null, nameOf);
        exercises.set(block.id, view);
        return view.element;
      }
    }
  };
  return h(
    "section",
    { "aria-labelledby": `section-${section.id}` },
    h("h2", { id: `section-${section.id}`, tabindex: -1 }, ...inlines(page, section.title)),
    ...blocks(page, section.blocks, 2, special),
    readMark(page, lesson.id, section),
  );
}

/** "Mark as read", and what stands there afterwards. */
function readMark(page: Page, part: string, section: Section): HTMLElement {
  const done = () => h("p", { class: "read", tabindex: -1 }, t("✓ Read"));
  if (section.read) {
    return done();
  }
  const mark = button(
    t("Mark as read"),
    () =>
      void (async () => {
        try {
          await page.transport.ask("qkv/markRead", { part, section: section.id });
          const mine = done();
          mark.replaceWith(mine);
          mine.focus({ preventScroll: true });
          page.announce(t("This section is marked as read."));
        } catch (error) {
          mark.after(failureNote(page, error));
        }
      })(),
    "quiet",
  );
  mark.classList.add("mark-read");
  return mark;
}

function contents(page: Page, lesson: Lesson): HTMLElement {
  const entry = (target: string, words: readonly (Node | string)[]) => h("li", {}, link(page, target, words));
  return h(
    "nav",
    { "aria-label": t("In this part") },
    h(
      "details",
      {},
      h("summary", {}, t("In this part")),
      h(
        "ol",
        {},
        ...lesson.sections.map((section) => entry(`lesson:${lesson.id}#${section.id}`, inlines(page, section.title.filter((part) => part.kind !== "term")))),
        ...lesson.exercises.map((id) => entry(`lesson:${lesson.id}/${id}`, [t("Exercise"), " ", h("code", {}, id)])),
        lesson.quiz.length > 0 && entry(`lesson:${lesson.id}#quiz`, [t("Quiz")]),
      ),
    ),
  );
}

function words(page: Page, lesson: Lesson): HTMLElement | null {
  if (lesson.terms.length === 0) {
    return null;
  }
  const list = h("ul", { class: "words" });
  void page
    .terms()
    .catch(() => null)
    .then((terms) => list.append(...lesson.terms.map((id) => h("li", {}, termLink(page, id, [terms?.get(id)?.name ?? id])))));
  return h("section", {}, h("h2", {}, t("Words of this part")), list);
}

function wayOn(page: Page, lesson: Lesson): HTMLElement {
  const to = (part: PartLink | null, label: string) =>
    part && button(`${label}: ${part.title}`, () => page.go({ kind: "lesson", part: part.id }), "secondary");
  return h(
    "nav",
    { class: "way-on", "aria-label": t("Other parts") },
    to(lesson.previous, t("Previous")),
    button(t("All parts"), () => page.go({ kind: "course" }), "secondary"),
    to(lesson.next, t("Next")),
  );
}

/** How far the learner is: a bar, and the same in words. */
function progressLine(lesson: Lesson): { element: HTMLElement; update(lesson: Lesson): void } {
  const bar = h("progress", { "aria-label": t("Progress in this part") });
  const text = h("p", { class: "aside" });
  const update = (now: Lesson) => {
    const exercises = exercisesOf(now);
    const counts = {
      read: now.sections.filter((section) => section.read).length,
      passed: exercises.filter((block) => block.state === "passed").length,
      right: now.quiz.filter((question) => question.answered === "right").length,
    };
    bar.max = now.sections.length + exercises.length + now.quiz.length;
    bar.value = counts.read + counts.passed + counts.right;
    text.textContent = [
      t("{0} of {1} sections read", counts.read, now.sections.length),
      t("{0} of {1} exercises passed", counts.passed, exercises.length),
      t("{0} of {1} questions right", counts.right, now.quiz.length),
    ].join(" · ");
  };
  update(lesson);
  return { element: h("div", { class: "progress" }, bar, text), update };
}

/** The exercises of a part, wherever they stand. */
function exercisesOf(lesson: Lesson): ExerciseBlock[] {
  const inside = (block: Block): ExerciseBlock[] => {
    switch (block.kind) {
      case "exercise":
        return [block];
      case "note":
      case "quote":
        return block.blocks.flatMap(inside);
      case "list":
        return block.items.flat().flatMap(inside);
      default:
        return [];
    }
  };
  return lesson.sections.flatMap((section) => section.blocks).flatMap(inside);
}
