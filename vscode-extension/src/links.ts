/**
 * Links into the course, the vocabulary and the pages of diagnostics.
 * No import here: the extension and the lesson page share this file.
 */

export type Place =
  | { kind: "course" }
  | { kind: "lesson"; part: string; section?: string; exercise?: string }
  | { kind: "vocabulary" }
  | { kind: "term"; id: string };

export type Link = Place | { kind: "diagnostic"; code: string };

const ID = "[A-Za-z0-9][A-Za-z0-9_.-]*";
const LESSON = new RegExp(`^lesson:(${ID})(?:#(${ID})|/(${ID}))?$`);
const TERM = new RegExp(`^term:(${ID})$`);
const DIAGNOSTIC = new RegExp(`^diagnostic:(${ID})$`);

/** Reads `lesson:PART`, `lesson:PART#SECTION`, `lesson:PART/EXERCISE`, `term:ID` or `diagnostic:CODE`; null for anything else. */
export function parseLink(text: string): Link | null {
  const lesson = LESSON.exec(text);
  if (lesson?.[1]) {
    return {
      kind: "lesson",
      part: lesson[1],
      ...(lesson[2] ? { section: lesson[2] } : {}),
      ...(lesson[3] ? { exercise: lesson[3] } : {}),
    };
  }
  if (text === "vocabulary") {
    return { kind: "vocabulary" };
  }
  const term = TERM.exec(text)?.[1];
  if (term) {
    return { kind: "term", id: term };
  }
  const code = DIAGNOSTIC.exec(text)?.[1];
  return code ? { kind: "diagnostic", code } : null;
}
