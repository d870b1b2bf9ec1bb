/** Turns what went wrong into a sentence for the learner and, where there is one, what mends it. */
import * as vscode from "vscode";
import { NoServer } from "../client.ts";
import type { Failure, Remedy } from "../panel/protocol.ts";

/** Thrown where something is refused on purpose. */
export class Refused extends Error {
  readonly remedy: Remedy;

  constructor(message: string, remedy: Remedy) {
    super(message);
    this.remedy = remedy;
  }
}

/** Nothing of the learner's runs in a workspace that is not trusted. */
export function requireTrust(): void {
  if (!vscode.workspace.isTrusted) {
    throw new Refused(vscode.l10n.t("Nothing is run while this folder is not trusted."), "manageTrust");
  }
}

export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof Refused) {
    return { message, remedy: error.remedy };
  }
  if (error instanceof NoServer) {
    return { message, remedy: error.phase.kind === "noPython" ? "installPython" : "restartServer" };
  }
  return { message, remedy: "showLog" };
}
