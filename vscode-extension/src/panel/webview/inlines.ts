/** Prose: words, code, emphasis, links, terms, mathematics in a line. */
import { parseLink } from "../../links.ts";
import type { Inline } from "../../server/content.ts";
import { h } from "./dom.ts";
import { math } from "./math.ts";
import type { Page } from "./page.ts";
import { explains } from "./termCard.ts";

export function inlines(page: Page, parts: readonly Inline[]): Node[] {
  return parts.flatMap((part) => (part.kind === "text" ? words(page, part.text) : inline(page, part)));
}

/** Text, in which an address that stands there as such can be followed. */
function words(page: Page, text: string): Node[] {
  return text
    .split(/(https:\/\/\S+[^\s.,;:)])/)
    .filter((piece) => piece !== "")
    .map((piece) => (piece.startsWith("https://") ? link(page, piece, [piece]) : document.createTextNode(piece)));
}

/** Prose as plain text, for labels. */
export function plainText(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      switch (part.kind) {
        case "text":
        case "code":
          return part.text;
        case "math":
          return part.tex;
        default:
          return plainText(part.inlines);
      }
    })
    .join("");
}

function inline(page: Page, part: Exclude<Inline, { kind: "text" }>): Node {
  switch (part.kind) {
    case "code":
      return h("code", {}, part.text);
    case "emphasis":
      return h("em", {}, ...inlines(page, part.inlines));
    case "strong":
      return h("strong", {}, ...inlines(page, part.inlines));
    case "math":
      return math(part.mathml, part.tex, "inline");
    case "term":
      return termLink(page, part.id, inlines(page, part.inlines));
    case "link":
      return link(page, part.target, inlines(page, part.inlines));
  }
}

export function termLink(page: Page, id: string, children: readonly (Node | string)[]): HTMLElement {
  const anchor = placeLink(page, `term:${id}`, children);
  anchor.classList.add("term");
  explains(page, anchor, id);
  return anchor;
}

/** A link to a place of the course, or, by `https:`, to outside. Anything else is shown as its text. */
export function link(page: Page, target: string, children: readonly (Node | string)[]): HTMLElement {
  if (target.startsWith("https://")) {
    return anchorThat(target, children, () => void page.transport.ask("host/openOutside", { url: target }));
  }
  if (target.startsWith("term:")) {
    return termLink(page, target.slice("term:".length), children);
  }
  return placeLink(page, target, children);
}

function placeLink(page: Page, target: string, children: readonly (Node | string)[]): HTMLElement {
  const place = parseLink(target);
  if (!place) {
    return h("span", {}, ...children);
  }
  if (place.kind === "diagnostic") {
    return anchorThat(`#${target}`, children, () => void page.transport.ask("host/openDiagnostic", { code: place.code }));
  }
  return anchorThat(`#${target}`, children, () => page.go(place));
}

/** An anchor whose click is ours: VS Code's own handler of links must not see it. */
function anchorThat(href: string, children: readonly (Node | string)[], action: () => void): HTMLAnchorElement {
  return h(
    "a",
    {
      href,
      onclick: (event) => {
        event.preventDefault();
        event.stopPropagation();
        action();
      },
    },
    ...children,
  );
}
