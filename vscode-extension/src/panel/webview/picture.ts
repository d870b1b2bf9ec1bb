/** A picture with its title, its axis names, a sentence that says what is to be seen, and the numbers as a table. */
import type { Picture, PictureBlock, Value } from "../../server/content.ts";
import type { Bind } from "../protocol.ts";
import { bars } from "./bars.ts";
import { freshId, h } from "./dom.ts";
import { heatmap } from "./heatmap.ts";
import { lines } from "./lines.ts";
import { pictureData, short, type PictureData } from "./pictureData.ts";
import { t } from "./sentences.ts";

export interface PictureView {
  element: HTMLElement;
  draw(picture: Picture): void;
}

/** The place of a picture; it is drawn when its cell has run. `onSlide` runs the cell with another value. */
export function picture(block: PictureBlock, onSlide: (bind: Bind) => void): PictureView {
  const waiting = h("p", { class: "aside" }, t("Run {0} to draw this picture: {1}", block.cell, block.alt.replace(/\s*\{\w+\}/g, "")));
  const place = h("div", {}, waiting);
  const element = h("figure", { class: "picture", "data-picture": block.id }, block.slider && slider(block.slider, onSlide), place);
  return {
    element,
    draw: (drawn) => place.replaceChildren(...content(drawn)),
  };
}

const STEPS = 100;

function slider({ name, lowest, highest }: NonNullable<PictureBlock["slider"]>, onSlide: (bind: Bind) => void): HTMLElement {
  const id = freshId("slider");
  const value = h("output", { for: id });
  const input = h("input", { type: "range", id, min: lowest, max: highest, step: (highest - lowest) / STEPS });
  const show = () => (value.textContent = short(input.valueAsNumber));
  input.valueAsNumber = highest;
  input.addEventListener("input", () => {
    show();
    onSlide({ [name]: input.valueAsNumber });
  });
  show();
  return h("div", { class: "field" }, h("label", { for: id }, h("code", {}, name)), input, value);
}

function content(drawn: Picture): Node[] {
  if (Array.isArray(drawn.data) && drawn.data.length === 0) {
    return [h("figcaption", {}, drawn.sentence)];
  }
  const data = pictureData(drawn);
  const draw = { heatmap, bars, lines }[drawn.kind];
  return [
    drawn.title && h("p", { class: "picture-title" }, drawn.title),
    h("div", { class: "layers" }, ...draw(drawn, data)),
    h("figcaption", {}, drawn.sentence),
    data.pooled > 1 && h("p", { class: "aside" }, t("Each square is the mean of {0} × {0} values: there are too many to draw.", data.pooled)),
    h("details", {}, h("summary", {}, t("Show as table")), ...data.layers.map((layer) => table(drawn, data, layer.title, layer.rows))),
  ].filter((node): node is HTMLElement => node instanceof Node);
}

function table(drawn: Picture, data: PictureData, title: string | null, rows: readonly Value[][]): HTMLElement {
  const corner = [drawn.y, drawn.x].filter(Boolean).join(" / ");
  const caption = title ?? drawn.title ?? drawn.id;
  return h(
    "div",
    { class: "scrolls", tabindex: 0, role: "group", "aria-label": t("Table of {0}", caption) },
    h(
      "table",
      { class: "numbers" },
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, corner || t("row")), ...data.columns.map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        ...rows.map((row, index) => h("tr", {}, h("th", { scope: "row" }, data.rows[index] ?? String(index)), ...row.map((value) => h("td", {}, short(value))))),
      ),
    ),
  );
}
