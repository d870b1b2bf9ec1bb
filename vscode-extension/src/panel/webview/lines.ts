/** Curves: every row is one, told apart by its dashes and its name at the end as well as by its colour. */
import type { Picture } from "../../server/content.ts";
import { svg } from "./dom.ts";
import { text, turned } from "./heatmap.ts";
import { finite, short, type Layer, type PictureData } from "./pictureData.ts";
import { t } from "./sentences.ts";

const WIDTH = 300;
const HEIGHT = 190;
const LEFT = 52;
const RIGHT = 64;
const TOP = 20;
const BOTTOM = 40;
const TICKS = 4;
const KINDS = 4;

export function lines(picture: Picture, data: PictureData): SVGElement[] {
  return data.layers.map((layer) => drawLines(picture, data, layer));
}

function drawLines(picture: Picture, data: PictureData, layer: Layer): SVGElement {
  const values = finite(layer.rows.flat());
  const least = Math.min(...values);
  const greatest = Math.max(...values, least + Number.EPSILON);
  const count = Math.max(...layer.rows.map((row) => row.length), 2);
  const x = (index: number) => LEFT + (index / (count - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => TOP + (1 - (value - least) / (greatest - least)) * (HEIGHT - TOP - BOTTOM);

  const grid = Array.from({ length: TICKS + 1 }, (_, index) => least + ((greatest - least) * index) / TICKS).flatMap((value) => [
    svg("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
    text(short(value), LEFT - 5, y(value) + 3, "end"),
  ]);
  const step = Math.max(1, Math.ceil(count / 6));
  const names = data.columns.flatMap((name, index) => (index % step ? [] : [text(name, x(index), HEIGHT - BOTTOM + 14, "middle")]));
  const curves = layer.rows.flatMap((row, index) => {
    const points = row.flatMap((value, at) => (value === null ? [] : [`${x(at).toFixed(1)},${y(value).toFixed(1)}`]));
    const end = row.findLastIndex((value) => value !== null);
    const kind = index % KINDS;
    return [
      svg("polyline", { class: `curve curve-${kind}`, points: points.join(" ") }),
      layer.rows.length > 1 && end >= 0 && text(data.rows[index] ?? String(index), x(end) + 5, y(row[end] ?? 0) + 3, "start", `curve-name curve-name-${kind}`),
    ];
  });
  return svg(
    "svg",
    { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": t("Curves of {0}", layer.title ?? picture.title ?? picture.id) },
    layer.title && text(layer.title, LEFT, 12, "start", "chart-title"),
    ...grid,
    ...names,
    ...curves,
    picture.x !== null && text(picture.x, LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - 6, "middle", "axis-name"),
    picture.y !== null && turned(picture.y, 11, TOP + (HEIGHT - TOP - BOTTOM) / 2),
  );
}
