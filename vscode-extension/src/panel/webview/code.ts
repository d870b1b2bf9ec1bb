/** Code to read, and code to edit: the same colours. */
import { h } from "./dom.ts";
import { tokens } from "./highlight.ts";

export function coloured(code: string, language: string): Node[] {
  if (language !== "python") {
    return [document.createTextNode(code)];
  }
  return tokens(code).map(({ kind, text }) => (kind === "plain" ? document.createTextNode(text) : h("span", { class: `token-${kind}` }, text)));
}

export interface Editor {
  element: HTMLElement;
  value(): string;
  set(code: string): void;
}

/**
 * A text area over a coloured copy of its text. Both lie in one grid cell, so they are of one size and only the box around them scrolls.
 * Tab leaves it, as everywhere on a page; Control+Enter runs.
 */
export function codeEditor(code: string, label: string, onChange: (code: string) => void, onRun: () => void): Editor {
  const colours = h("code", {});
  const copy = h("pre", { class: "editor-colours", "aria-hidden": "true" }, colours);
  const area = h("textarea", {
    class: "editor-area",
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    wrap: "off",
    "aria-label": label,
    oninput: () => {
      show();
      onChange(area.value);
    },
    onkeydown: (event) => {
      if (event instanceof KeyboardEvent && event.key === "Enter") {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          onRun();
        } else if (!event.shiftKey && !event.altKey) {
          event.preventDefault();
          insertLine(area);
        }
      }
    },
  });
  const show = () => {
    // The newline at the end gives the last line its height.
    colours.replaceChildren(...coloured(area.value, "python"), "\n");
    area.rows = area.value.split("\n").length;
  };
  area.value = code;
  show();
  return {
    element: h("div", { class: "code editor" }, h("div", { class: "editor-stack" }, copy, area)),
    value: () => area.value,
    set: (text) => {
      area.value = text;
      show();
    },
  };
}

/** A new line, indented as the one before it, as an edit that the area's own undo knows. */
function insertLine(area: HTMLTextAreaElement): void {
  const before = area.value.slice(0, area.selectionStart);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  const deeper = line.trimEnd().endsWith(":") ? "    " : "";
  const text = `\n${indent}${deeper}`;
  // The only call that keeps undo; where a browser has none, the text is put in all the same.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  if (!document.execCommand("insertText", false, text)) {
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input"));
  }
}
