/** The lesson page: shows places, remembers where it was, and goes back. */
import type { Place } from "../../links.ts";
import type { TermSummary } from "../../server/content.ts";
import { coursePage } from "./coursePage.ts";
import { focusOn, h } from "./dom.ts";
import { lessonPage } from "./lessonPage.ts";
import { button, failureNote, type Page } from "./page.ts";
import { t, translate } from "./sentences.ts";
import type { Shown } from "./shown.ts";
import { vsCodeTransport, type Transport } from "./transport.ts";
import { termPage, vocabularyPage } from "./vocabularyPage.ts";

/** What survives the page. */
interface Remembered {
  places: Place[];
  scroll: number;
}

const MOST_PLACES = 30;

export async function start(root: HTMLElement, transport: Transport): Promise<void> {
  const begun = await transport.ask("host/start", {});
  translate(begun.sentences);
  const memory = remembered(transport.load());
  let trusted = begun.trusted;
  let current: { shown: Shown | null; over: AbortController } | null = null;
  let vocabulary: Promise<ReadonlyMap<string, TermSummary>> | null = null;

  const main = h("main", { tabindex: -1 });
  const status = h("div", { class: "visually-hidden", role: "status" });
  const back = button(t("Back"), () => goBack(), "quiet");
  const bar = h(
    "nav",
    { class: "bar", "aria-label": t("Course") },
    back,
    button(t("All parts"), () => go({ kind: "course" }), "quiet"),
    button(t("Vocabulary"), () => go({ kind: "vocabulary" }), "quiet"),
  );
  root.replaceChildren(bar, main, status);

  const save = () => transport.save({ places: memory.places, scroll: window.scrollY } satisfies Remembered);

  const go = (place: Place) => {
    if (current?.shown?.scrollTo(place)) {
      remember(place);
      return;
    }
    remember(place);
    void show(place, true);
  };
  const remember = (place: Place) => {
    memory.places = [...memory.places, place].slice(-MOST_PLACES);
    save();
    void transport.ask("host/moved", { place });
  };
  const goBack = () => {
    const before = memory.places.at(-2);
    if (before) {
      memory.places = memory.places.slice(0, -2);
      go(before);
    }
  };

  /** Builds a place's page and puts it on the screen. */
  const show = async (place: Place, focus: boolean) => {
    current?.over.abort();
    const over = new AbortController();
    const mine = { shown: null as Shown | null, over };
    current = mine;
    back.disabled = memory.places.length < 2;
    const page: Page = {
      transport,
      trusted,
      over: over.signal,
      go,
      announce: (message) => (status.textContent = message),
      terms: () => (vocabulary ??= readVocabulary(transport)),
    };
    main.setAttribute("aria-busy", "true");
    try {
      const shown = await make(page, place);
      if (over.signal.aborted) {
        return;
      }
      mine.shown = shown;
      main.replaceChildren(shown.element);
      document.title = shown.title;
      if (focus && !shown.scrollTo(place)) {
        focusOn(shown.heading);
        window.scrollTo(0, 0);
      }
    } catch (error) {
      vocabulary = null;
      if (!over.signal.aborted) {
        main.replaceChildren(failureNote(page, error));
      }
    }
    main.setAttribute("aria-busy", "false");
  };

  transport.on("goTo", go);
  transport.on("hostChanged", (host) => {
    const changed = host.trusted !== trusted;
    trusted = host.trusted;
    vocabulary = null;
    // A page that could not be shown, or that says what is missing, may be shown now.
    if (changed || !current?.shown) {
      void show(memory.places.at(-1) ?? { kind: "course" }, false);
    }
  });
  window.addEventListener("scroll", () => requestAnimationFrame(save), { passive: true });

  if (begun.place) {
    remember(begun.place);
    await show(begun.place, true);
  } else {
    const place = memory.places.at(-1) ?? { kind: "course" };
    const { scroll } = memory;
    void transport.ask("host/moved", { place });
    await show(place, false);
    window.scrollTo(0, scroll);
  }
}

function make(page: Page, place: Place): Promise<Shown> {
  switch (place.kind) {
    case "course":
      return coursePage(page);
    case "lesson":
      return lessonPage(page, place);
    case "vocabulary":
      return vocabularyPage(page);
    case "term":
      return termPage(page, place.id);
  }
}

async function readVocabulary(transport: Transport): Promise<ReadonlyMap<string, TermSummary>> {
  const { terms } = await transport.ask("qkv/vocabulary", {});
  return new Map(terms.map((term) => [term.id, term]));
}

function remembered(saved: unknown): Remembered {
  const { places, scroll } = (typeof saved === "object" && saved !== null ? saved : {}) as Partial<Remembered>;
  return { places: Array.isArray(places) ? places : [], scroll: typeof scroll === "number" ? scroll : 0 };
}

const root = document.getElementById("lesson");
if (root) {
  void start(root, vsCodeTransport());
}
