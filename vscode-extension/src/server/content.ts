/**
 * What the server says about the course: the JSON objects of its `qkv/…` requests.
 * No import here: the extension and the lesson page share this file.
 */

/** An element of MathML, or a text inside one. */
export type MathNode = string | { tag: string; attributes: Record<string, string>; children: MathNode[] };

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "emphasis"; inlines: Inline[] }
  | { kind: "strong"; inlines: Inline[] }
  | { kind: "link"; target: string; inlines: Inline[] }
  | { kind: "term"; id: string; inlines: Inline[] }
  | { kind: "math"; tex: string; mathml: MathNode };

export interface CellBlock {
  kind: "cell";
  id: string;
  title: string | null;
  task: Inline[] | null;
  code: string;
  needs: string[];
  show: string | null;
}

export interface PictureBlock {
  kind: "picture";
  id: string;
  cell: string;
  kindOfPicture: PictureKind;
  title: string | null;
  alt: string;
  x: string | null;
  y: string | null;
  /** A number of the cell that the learner may move; the cell runs again with it. */
  slider: { name: string; lowest: number; highest: number } | null;
}

export type ExerciseState = "new" | "tried" | "passed";

export interface ExerciseBlock {
  kind: "exercise";
  id: string;
  signature: string;
  minutes: number;
  blocks: Block[];
  hints: number;
  state: ExerciseState;
  attempts: number;
  file: string | null;
}

export type Block =
  | { kind: "paragraph"; inlines: Inline[] }
  | { kind: "heading"; level: number; inlines: Inline[] }
  | { kind: "list"; ordered: boolean; items: Block[][] }
  | { kind: "code"; language: string; text: string }
  | { kind: "math"; tex: string; mathml: MathNode }
  | { kind: "table"; header: Inline[][]; rows: Inline[][][] }
  | { kind: "note"; blocks: Block[] }
  | { kind: "quote"; blocks: Block[] }
  | CellBlock
  | PictureBlock
  | ExerciseBlock;

export interface Section {
  id: string;
  title: Inline[];
  read: boolean;
  blocks: Block[];
}

export interface Question {
  id: string;
  blocks: Block[];
  options: { blocks: Block[] }[];
  multiple: boolean;
  answered: "right" | "wrong" | null;
}

export interface PartLink {
  id: string;
  title: string;
}

export interface Lesson {
  version: 1;
  course: PartLink;
  id: string;
  number: number;
  of: number;
  title: string;
  summary: string;
  level: string;
  minutes: number;
  goals: Inline[][];
  requires: string[];
  previous: PartLink | null;
  next: PartLink | null;
  sections: Section[];
  exercises: string[];
  quiz: Question[];
  terms: string[];
  sources: Inline[][];
}

export interface ExerciseSummary {
  id: string;
  signature: string;
  state: ExerciseState;
  attempts: number;
  file: string | null;
}

export interface PartSummary {
  id: string;
  number: number;
  title: string;
  summary: string;
  level: string;
  minutes: number;
  state: "new" | "started" | "done";
  done: boolean;
  sections: { id: string; title: string; read: boolean }[];
  exercises: ExerciseSummary[];
  quiz: { questions: number; right: number; missed: number };
  terms: string[];
}

export interface Course {
  version: 1;
  course: PartLink & { language: string; version: string };
  reviews_due: number;
  parts: PartSummary[];
  /** Something about the learner's own files that should be known, such as one that was broken and moved aside. */
  notice: string | null;
}

export interface Answered {
  right: boolean;
  notes: { option: number; blocks: Block[] }[];
  answered: number;
  rightCount: number;
}

/** One axis system of sizes: what was wanted, what came, and how the axes are called. */
export interface ShapeEvidence {
  want: number[];
  got: number[];
  axes: string | null;
}

export interface Evidence {
  call: string | null;
  want: string | null;
  got: string | null;
  index: number[] | null;
  shape: ShapeEvidence | null;
}

export interface Feedback {
  kind: "passed" | "known" | "property" | "value" | "syntax" | "exception" | "missing-function" | "timeout" | "memory" | "no-torch";
  key: string | null;
  property: string | null;
  message: string;
  question: string | null;
  evidence: Evidence | null;
  line: number | null;
  section: string | null;
}

export interface CheckResult {
  version: 1;
  course: string;
  part: string;
  exercise: string;
  file: string;
  status: "passed" | "wrong" | "error";
  feedback: Feedback;
  seeds: number[];
  output: string;
  milliseconds: number;
}

export interface Hints {
  hints: Block[][];
  shown: number;
  of: number;
}

export interface Solution {
  code: string;
  others: string[];
  /** Why the first is what it is. */
  blocks: Block[];
}

export interface ResetResult {
  version: 1;
  reset: { exercise: string; file: string; copy: string | null }[];
}

export interface TermSummary {
  id: string;
  name: string;
  definition: string;
  lesson: string | null;
}

export interface Term extends TermSummary {
  definition_inlines: Inline[];
  blocks: Block[];
  formula: { tex: string; mathml: MathNode } | null;
  formula_text: string | null;
  shape: string | null;
  see: { id: string; name: string }[];
  used_in: string[];
}

export type PictureKind = "heatmap" | "bars" | "lines";

/** Numbers in a list, a matrix, or a list of matrices (one a head). What is no number, or infinite, is null. */
export type Numbers = Value | Numbers[];
export type Value = number | null;

/** What a cell's picture shows, with what is needed to draw it and to say it. */
export interface Picture {
  id: string;
  kind: PictureKind;
  title: string | null;
  x: string | null;
  y: string | null;
  /** Where the numbers came with names, these stand in `x`. */
  labels: { x: string[]; y: string[] };
  data: Numbers;
  sentence: string;
}

export interface RunError {
  type: string;
  message: string;
  line: number | null;
  trace: { path: string; line: number; name: string }[];
}

export interface RunResult {
  version: 1;
  path: string | null;
  status: "finished" | "failed" | "timed-out" | "out-of-memory" | "stopped" | "not-started";
  reason: string | null;
  exit_code: number | null;
  interpreter: string | null;
  python: string | null;
  torch: string | null;
  device: string;
  milliseconds: number;
  stdout: string;
  stderr: string;
  cut: number;
  error: RunError | null;
  pictures: Picture[];
}

/** What the server found in its surroundings. */
export interface ServerStatus {
  version: string;
  python: string;
  interpreter: { path: string; python: string | null; torch: string | null } | null;
  problems: { what: string; do: string }[];
}

/** The page of a diagnostic or of a term, as `qkv explain --format json` prints it. */
export interface Explanation {
  version: 1;
  kind: "diagnostic" | "term";
  id: string;
  title: string;
  severity: string | null;
  text: string;
  markdown: string;
  lesson: string | null;
}
