import type {
  Answered,
  CheckResult,
  Course,
  Hints,
  Lesson,
  ResetResult,
  RunResult,
  ServerStatus,
  Solution,
  Term,
  TermSummary,
} from "./content.ts";

/** Every request of ours that the server answers: what it takes and what it gives. */
export interface ServerRequests {
  "qkv/course": { params: { course?: string }; result: Course };
  "qkv/lesson": { params: { part: string; course?: string }; result: Lesson };
  "qkv/markRead": { params: { part: string; section: string }; result: { version: number } };
  "qkv/answer": { params: { part: string; question: string; chosen: number[] }; result: Answered };
  "qkv/openExercise": { params: { exercise: string }; result: { file: string; created: boolean } };
  "qkv/checkExercise": { params: { exercise: string; file?: string }; result: CheckResult };
  "qkv/hint": { params: { exercise: string }; result: Hints };
  "qkv/solution": { params: { exercise: string }; result: Solution };
  "qkv/resetExercise": { params: { exercise: string }; result: ResetResult };
  "qkv/vocabulary": { params: Record<string, never>; result: { terms: TermSummary[] } };
  "qkv/term": { params: { id: string }; result: Term };
  "qkv/run": { params: { id: string; part: string; cell: string; code?: string; bind?: Record<string, number> }; result: RunResult };
  "qkv/stop": { params: { id: string }; result: { stopped: boolean } };
  "qkv/status": { params: Record<string, never>; result: ServerStatus };
}

export type ServerMethod = keyof ServerRequests;

/** What the server says of its own accord. */
export interface ServerNotifications {
  "qkv/output": { id: string; stream: OutputStream; text: string };
  "qkv/progressChanged": Record<string, never>;
}

export type OutputStream = "stdout" | "stderr";

/** Asks the server; rejects where there is none. */
export type Ask = <M extends ServerMethod>(method: M, params: ServerRequests[M]["params"]) => Promise<ServerRequests[M]["result"]>;
