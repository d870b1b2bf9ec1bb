/** What a picture shows, put into one form: layers of rows of values, with names for rows and columns. */
import type { Numbers, Picture, Value } from "../../server/content.ts";
import { t } from "./sentences.ts";

export interface Layer {
  /** Null where there is only one. */
  title: string | null;
  rows: Value[][];
}

export interface PictureData {
  layers: Layer[];
  columns: string[];
  rows: string[];
  /** By how much rows and columns were pooled to be drawn; 1 where they were not. */
  pooled: number;
}

/** More rows or columns than this are pooled. */
export const LARGEST = 64;

/** The layers of a picture: one matrix, or one after the other, under the names that came with them. */
export function pictureData(picture: Picture): PictureData {
  const matrices = stack(picture.data);
  const many = matrices.length > 1;
  const [first = []] = matrices;
  const width = Math.max(0, ...first.map((row) => row.length));
  const names = picture.labels.x;
  // Names belong to the parts of the data: to heads, else to curves and rows, else to the columns of a single row.
  const nameOf = (index: number, count: number) => (names.length === count ? names[index] : undefined);
  const layers: Layer[] = matrices.map((rows, index) => ({
    title: many ? (nameOf(index, matrices.length) ?? t("{0} of {1}", index + 1, matrices.length)) : null,
    rows,
  }));
  const ofRows = !many && first.length > 1 && names.length === first.length && (picture.kind !== "heatmap" || width !== names.length);
  const rowNames = ofRows ? names : picture.labels.y;
  const columnNames = ofRows || many ? [] : names;
  const pooled = picture.kind === "heatmap" ? Math.max(1, Math.ceil(Math.max(first.length, width) / LARGEST)) : 1;
  return {
    layers: pooled > 1 ? layers.map(({ title, rows }) => ({ title, rows: pool(rows, pooled) })) : layers,
    columns: labels(columnNames, width, pooled),
    rows: labels(rowNames, first.length, pooled),
    pooled,
  };
}

export function finite(values: readonly Value[]): number[] {
  return values.filter((value): value is number => value !== null);
}

/** A number for people: three digits that matter. */
export function short(value: Value): string {
  if (value === null) {
    return t("none");
  }
  if (Number.isInteger(value)) {
    return String(value);
  }
  const size = Math.abs(value);
  if (size < 0.001 || size >= 100_000) {
    return value.toExponential(1);
  }
  return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0);
}

/** Numbers of any depth as a list of matrices; what is deeper than that is taken apart along its first axes. */
function stack(data: Numbers): Value[][][] {
  switch (depth(data)) {
    case 0:
      return [[[data as Value]]];
    case 1:
      return [[data as Value[]]];
    case 2:
      return [data as Value[][]];
    case 3:
      return data as Value[][][];
    default:
      return (data as Numbers[]).flatMap(stack);
  }
}

function depth(data: Numbers): number {
  return Array.isArray(data) ? 1 + (data[0] === undefined ? 0 : depth(data[0])) : 0;
}

function mean(values: readonly Value[]): Value {
  const numbers = finite(values);
  return numbers.length > 0 ? numbers.reduce((sum, value) => sum + value, 0) / numbers.length : null;
}

/** Means of blocks of `size` by `size` values. */
function pool(rows: readonly Value[][], size: number): Value[][] {
  const down = Math.ceil(rows.length / size);
  const across = Math.ceil((rows[0]?.length ?? 0) / size);
  return Array.from({ length: down }, (_, i) =>
    Array.from({ length: across }, (_, j) => mean(rows.slice(i * size, (i + 1) * size).flatMap((row) => row.slice(j * size, (j + 1) * size)))),
  );
}

function labels(names: readonly string[], count: number, pooled: number): string[] {
  const all = Array.from({ length: count }, (_, index) => names[index] ?? String(index));
  return all.filter((_, index) => index % pooled === 0);
}
