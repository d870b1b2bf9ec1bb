/** Building nodes. Text becomes text nodes, always; there is no way from a string to markup. */

export type Child = Node | string | null | undefined | false;
type Handler = (event: Event) => void;
type Attributes = Record<string, string | number | boolean | null | undefined | Handler>;

const SVG = "http://www.w3.org/2000/svg";

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return filled(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return filled<SVGElementTagNameMap[K]>(document.createElementNS(SVG, tag), attributes, children);
}

function filled<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      element.addEventListener(name.replace(/^on/, ""), value);
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined && child !== false && child !== ""));
  return element;
}

/** Puts the keyboard's focus on something that is not a control, such as a heading. */
export function focusOn(element: HTMLElement): void {
  if (element.tabIndex < 0) {
    element.setAttribute("tabindex", "-1");
  }
  element.focus({ preventScroll: true });
  element.scrollIntoView({ block: "start" });
}

let ids = 0;

/** An id that no other element has. */
export function freshId(prefix: string): string {
  return `${prefix}-${++ids}`;
}
