/**
 * What the lesson page and its host say to each other. Both sides import this file; nothing else is shared at run time.
 * The host is the extension here, and may be an HTTP server elsewhere: a request and its answer, and events from the host.
 */
import type { CheckResult, RunResult } from "../server/content.ts";
import type { OutputStream, ServerRequests } from "../server/requests.ts";
import type { Place } from "../links.ts";

/** Server requests that the page may make; the host passes them on as they are. */
export const PASSED_ON = [
  "qkv/course",
  "qkv/lesson",
  "qkv/markRead",
  "qkv/answer",
  "qkv/hint",
  "qkv/solution",
  "qkv/vocabulary",
  "qkv/term",
] as const;

export type PassedOn = (typeof PASSED_ON)[number];

/** The last run of a cell, kept by the host so that a page that was closed shows it again. */
export interface RunRecord {
  id: string;
  output: { stream: OutputStream; text: string }[];
  result: RunResult | null;
}

/** What is kept for a part outside the server: the learner's versions of cells, their last runs, and the last checks. */
export interface Kept {
  drafts: Record<string, string>;
  runs: Record<string, RunRecord>;
  checks: Record<string, CheckResult>;
}

/** Values for names of a cell, as a slider sets them. */
export type Bind = Record<string, number>;

/** Something that the host can do to mend what is missing. */
export type Remedy = "installTorch" | "installPython" | "restartServer" | "showLog" | "manageTrust";

export interface Start {
  /** The place to show; null: the one that the page remembers. */
  place: Place | null;
  trusted: boolean;
  /** Translations of the page's sentences, by the English ones. */
  sentences: Record<string, string>;
}

/** Requests that the host answers itself. */
export interface HostRequests {
  /** First message of a page. */
  "host/start": { params: Record<string, never>; result: Start };
  /** The page shows this place now: commands of the editor act on it. */
  "host/moved": { params: { place: Place }; result: null };
  "host/kept": { params: { part: string }; result: Kept };
  "host/keepDraft": { params: { part: string; cell: string; code: string | null }; result: null };
  /** Starts a run and answers at once; what happens arrives in `output` and `finished`. */
  "host/run": { params: { part: string; cell: string; code: string | null; bind: Bind }; result: { id: string } };
  "host/stop": { params: { id: string }; result: { stopped: boolean } };
  "host/openCode": { params: { code: string }; result: null };
  "host/openExercise": { params: { exercise: string }; result: { file: string } };
  "host/checkExercise": { params: { exercise: string }; result: CheckResult };
  "host/compareSolution": { params: { exercise: string }; result: null };
  "host/resetExercise": { params: { exercise: string }; result: { undo: boolean } };
  "host/undoReset": { params: { exercise: string }; result: null };
  "host/openOutside": { params: { url: string }; result: null };
  "host/openDiagnostic": { params: { code: string }; result: null };
  "host/copy": { params: { text: string }; result: null };
  "host/remedy": { params: { remedy: Remedy }; result: null };
}

export type PageRequests = HostRequests & Pick<ServerRequests, PassedOn>;
export type PageMethod = keyof PageRequests;

export interface HostEvents {
  /** Show this place. */
  goTo: Place;
  started: { part: string; cell: string; id: string };
  output: { part: string; cell: string; id: string; stream: OutputStream; text: string };
  finished: { part: string; cell: string; id: string; result: RunResult };
  checked: CheckResult;
  /** A hint was asked for outside the page. */
  hint: { exercise: string };
  progressChanged: Record<string, never>;
  /** The server started again, or trust was given: what failed may work now. */
  hostChanged: { trusted: boolean };
}

export type HostEvent = keyof HostEvents;

/** Why a request failed, in words for the learner, and what would mend it. */
export interface Failure {
  message: string;
  remedy: Remedy | null;
}

export type FromPage = { kind: "request"; number: number; method: string; params: unknown };

export type FromHost =
  | { kind: "answer"; number: number; result: unknown }
  | { kind: "failure"; number: number; failure: Failure }
  | { kind: "event"; event: HostEvent; data: unknown };
