/** What a picture shows, put into one form: layers of rows of numbers, with names for both axes. */
import type { Picture } from "../../server/content.ts";
import { t } from "./sentences.ts";

export interface Layer {
  /** Null where there is only one. */
  title: string | null;
  rows: number[][];
}

export interface PictureData {
  layers: Layer[];
  x: string[];
  y: string[];
  /** By how much rows and columns were pooled to be drawn; 1 where they were not. */
  pooled: number;
}

/** More rows or columns than this are pooled. */
export const LARGEST = 64;

/** The layers of a picture: one matrix, or one for each head and their average. */
export function pictureData(picture: Picture): PictureData {
  const matrices = isStack(picture.data) ? picture.data : [picture.data];
  const layers: Layer[] = matrices.map((rows, head) => ({ title: matrices.length > 1 ? t("Head {0}", head) : null, rows }));
  if (picture.kind === "heatmap" && matrices.length > 1) {
    layers.push({ title: t("Average of the heads"), rows: average(matrices) });
  }
  const rows = layers[0]?.rows ?? [];
  const pooled = picture.kind === "heatmap" ? Math.ceil(Math.max(rows.length, rows[0]?.length ?? 0) / LARGEST) : 1;
  return {
    layers: pooled > 1 ? layers.map(({ title, rows: all }) => ({ title, rows: pool(all, pooled) })) : layers,
    x: names(picture.labels.x, rows[0]?.length ?? 0, pooled),
    y: names(picture.labels.y, rows.length, pooled),
    pooled,
  };
}

/** A number for people: three digits that matter. */
export function short(value: number): string {
  if (!Number.isFinite(value)) {
    return String(value);
  }
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 100_000)) {
    return value.toExponential(1);
  }
  return Number.isInteger(value) ? String(value) : value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
}

function isStack(data: Picture["data"]): data is number[][][] {
  return Array.isArray(data[0]?.[0]);
}

function average(matrices: readonly number[][][]): number[][] {
  const [first = []] = matrices;
  return first.map((row, i) => row.map((_, j) => matrices.reduce((sum, matrix) => sum + (matrix[i]?.[j] ?? 0), 0) / matrices.length));
}

/** Means of blocks of `size` by `size` cells. */
function pool(rows: readonly number[][], size: number): number[][] {
  const down = Math.ceil(rows.length / size);
  const across = Math.ceil((rows[0]?.length ?? 0) / size);
  return Array.from({ length: down }, (_, i) =>
    Array.from({ length: across }, (_, j) => {
      const block = rows.slice(i * size, (i + 1) * size).flatMap((row) => row.slice(j * size, (j + 1) * size));
      return block.reduce((sum, value) => sum + value, 0) / block.length;
    }),
  );
}

function names(labels: readonly string[], count: number, pooled: number): string[] {
  const all = Array.from({ length: count }, (_, index) => labels[index] ?? String(index));
  return pooled === 1 ? all : all.filter((_, index) => index % pooled === 0);
}
