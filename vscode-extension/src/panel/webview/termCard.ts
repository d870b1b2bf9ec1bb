/** The card that a term in prose shows under the mouse or the focus: its definition, as a hover in code does. */
import { freshId, h } from "./dom.ts";
import type { Page } from "./page.ts";

/** Gives an anchor a card with the term's definition. Escape closes it; it stays while the mouse is on it. */
export function explains(page: Page, anchor: HTMLElement, id: string): void {
  let card: HTMLElement | null = null;
  const hide = () => {
    card?.remove();
    card = null;
    anchor.removeAttribute("aria-describedby");
  };
  const show = async () => {
    const term = (await page.terms().catch(() => null))?.get(id);
    if (!term || card || !(anchor.matches(":hover") || anchor === document.activeElement)) {
      return;
    }
    const name = freshId("term");
    card = h("div", { class: "term-card", role: "tooltip", id: name }, h("strong", {}, term.name), h("p", {}, term.definition));
    anchor.setAttribute("aria-describedby", name);
    anchor.after(card);
    place(card, anchor);
    card.addEventListener("pointerleave", hide);
  };
  anchor.addEventListener("pointerenter", () => void show());
  anchor.addEventListener("focus", () => void show());
  anchor.addEventListener("blur", hide);
  anchor.addEventListener("pointerleave", (event) => {
    if (!(event.relatedTarget instanceof Node && card?.contains(event.relatedTarget))) {
      hide();
    }
  });
  anchor.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && card) {
      event.stopPropagation();
      hide();
    }
  });
  page.over.addEventListener("abort", hide);
}

/** Under the anchor, inside the page's width. */
function place(card: HTMLElement, anchor: HTMLElement): void {
  const around = (anchor.offsetParent ?? document.body).getBoundingClientRect();
  const line = [...anchor.getClientRects()].at(-1) ?? anchor.getBoundingClientRect();
  const room = document.documentElement.clientWidth - card.offsetWidth - 12;
  card.style.left = `${Math.max(8, Math.min(line.left, room)) - around.left}px`;
  card.style.top = `${line.bottom - around.top}px`;
}
