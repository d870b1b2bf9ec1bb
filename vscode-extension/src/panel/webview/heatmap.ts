/** Heatmaps: one square a value, the darker the greater; the numbers themselves where there is room. */
import type { Picture, Value } from "../../server/content.ts";
import { svg } from "./dom.ts";
import { finite, short, type Layer, type PictureData } from "./pictureData.ts";
import { t } from "./sentences.ts";

const MARGIN = { left: 44, top: 20, right: 4, bottom: 34 };
/** Up to this many columns the values are written into the squares. */
const LEGIBLE = 8;
const FONT = 10;

export function heatmap(picture: Picture, data: PictureData): SVGElement[] {
  const values = finite(data.layers.flatMap((layer) => layer.rows.flat()));
  const least = Math.min(0, ...values);
  const greatest = Math.max(...values, least + Number.EPSILON);
  const share = (value: Value) => (value === null ? 0 : (value - least) / (greatest - least));
  return data.layers.map((layer) => drawLayer(picture, data, layer, share));
}

function drawLayer(picture: Picture, data: PictureData, layer: Layer, share: (value: Value) => number): SVGElement {
  const across = data.columns.length;
  const down = data.rows.length;
  const side = Math.max(4, Math.min(34, 240 / Math.max(across, down, 1)));
  const width = MARGIN.left + across * side + MARGIN.right;
  const height = MARGIN.top + down * side + MARGIN.bottom;
  const squares = layer.rows.flatMap((row, i) => row.flatMap((value, j) => square(value, share(value), j, i, side, across <= LEGIBLE)));
  const every = (width: number) => Math.max(1, Math.ceil(width / side));
  const acrossEvery = every(Math.max(...data.columns.map((name) => name.length)) * FONT * 0.65 + 4);
  const xNames = data.columns.flatMap((name, j) => (j % acrossEvery ? [] : [text(name, MARGIN.left + (j + 0.5) * side, MARGIN.top + down * side + FONT + 2, "middle")]));
  const yNames = data.rows.flatMap((name, i) => (i % every(FONT + 2) ? [] : [text(name, MARGIN.left - 4, MARGIN.top + (i + 0.5) * side + FONT / 3, "end")]));
  return svg(
    "svg",
    {
      class: "chart heatmap",
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: "img",
      "aria-label": t("Heatmap of {0}", [picture.title ?? picture.id, layer.title].filter(Boolean).join(", ")),
    },
    layer.title && text(layer.title, MARGIN.left, 12, "start", "chart-title"),
    ...squares,
    ...xNames,
    ...yNames,
    picture.x !== null && text(picture.x, MARGIN.left + (across * side) / 2, height - 6, "middle", "axis-name"),
    picture.y !== null && turned(picture.y, 10, MARGIN.top + (down * side) / 2),
  );
}

function square(value: Value, share: number, column: number, row: number, side: number, legible: boolean): SVGElement[] {
  const x = MARGIN.left + column * side;
  const y = MARGIN.top + row * side;
  const box = svg("rect", { class: "square", x, y, width: side, height: side, "fill-opacity": (0.03 + 0.97 * share).toFixed(3) }, svg("title", {}, short(value)));
  const number = text(brief(value), x + side / 2, y + side / 2 + 3, "middle", share > 0.55 ? "value on-dark" : "value");
  return legible ? [box, number] : [box];
}

/** A number that fits into a square. */
function brief(value: Value): string {
  return value !== null && Math.abs(value) < 0.005 ? "0" : short(value);
}

export function text(content: string, x: number, y: number, anchor: "start" | "middle" | "end", kind = "tick"): SVGElement {
  return svg("text", { class: kind, x, y, "text-anchor": anchor }, content);
}

export function turned(content: string, x: number, y: number): SVGElement {
  return svg("text", { class: "axis-name", x, y, "text-anchor": "middle", transform: `rotate(-90 ${x} ${y})` }, content);
}
