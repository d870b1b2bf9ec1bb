/** Bars: one for each name, with its value beside it; several layers or rows stand under each other. */
import type { Picture, Value } from "../../server/content.ts";
import { svg } from "./dom.ts";
import { text } from "./heatmap.ts";
import { finite, short, type Layer, type PictureData } from "./pictureData.ts";
import { t } from "./sentences.ts";

const WIDTH = 300;
const LABEL = 84;
const VALUE = 46;
const ROW = 22;

export function bars(picture: Picture, data: PictureData): SVGElement[] {
  return data.layers.flatMap((layer) => series(layer, data).map(({ title, names, values }) => drawSeries(picture, title, names, values)));
}

/** A matrix of one row, or of one column, is one series; else every row is one. */
function series(layer: Layer, data: PictureData): { title: string | null; names: string[]; values: Value[] }[] {
  if (layer.rows.every((row) => row.length === 1)) {
    return [{ title: layer.title, names: data.rows, values: layer.rows.flat() }];
  }
  return layer.rows.map((values, index) => ({
    title: layer.rows.length > 1 ? (data.rows[index] ?? null) : layer.title,
    names: data.columns,
    values,
  }));
}

function drawSeries(picture: Picture, title: string | null, names: readonly string[], values: readonly Value[]): SVGElement {
  const top = title ? 20 : 4;
  const bottom = picture.x === null ? 4 : 20;
  const height = top + values.length * ROW + bottom;
  const least = Math.min(0, ...finite(values));
  const greatest = Math.max(0, ...finite(values));
  const span = greatest - least || 1;
  const at = (value: number) => LABEL + ((value - least) / span) * (WIDTH - LABEL - VALUE);
  const rows = values.flatMap((value, index) => {
    const y = top + index * ROW;
    const from = at(Math.min(0, value ?? 0));
    const to = at(Math.max(0, value ?? 0));
    return [
      text(names[index] ?? String(index), LABEL - 6, y + ROW / 2 + 4, "end"),
      svg("rect", { class: "bar", x: from, y: y + 3, width: value === null ? 0 : Math.max(to - from, 1), height: ROW - 6, rx: 2 }),
      text(short(value), to + 5, y + ROW / 2 + 4, "start", "value"),
    ];
  });
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, width: WIDTH, height, role: "img", "aria-label": t("Bars of {0}", title ?? picture.title ?? picture.id) },
    title && text(title, LABEL, 13, "start", "chart-title"),
    ...rows,
    picture.x !== null && text(picture.x, LABEL + (WIDTH - LABEL - VALUE) / 2, height - 5, "middle", "axis-name"),
  );
}
