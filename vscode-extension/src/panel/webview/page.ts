/** What the parts of a page share: the way to the host, where to go, and when the page is over. */
import type { Place } from "../../links.ts";
import type { TermSummary } from "../../server/content.ts";
import { h } from "./dom.ts";
import { t } from "./sentences.ts";
import { RequestFailed, type Transport } from "./transport.ts";

export interface Page {
  transport: Transport;
  trusted: boolean;
  /** Aborted when another place is shown: nothing of this page listens any more. */
  over: AbortSignal;
  go(place: Place): void;
  /** Says something to those who listen to the page. */
  announce(message: string): void;
  /** The vocabulary, read once. */
  terms(): Promise<ReadonlyMap<string, TermSummary>>;
}

/** A message that something did not work, with a button that mends it where there is one. */
export function failureNote(page: Page, error: unknown): HTMLElement {
  const failure = error instanceof RequestFailed ? error.failure : { message: String(error), remedy: null };
  const titles = {
    installTorch: t("Install PyTorch"),
    installPython: t("Install Python"),
    restartServer: t("Restart the server"),
    showLog: t("Show log"),
    manageTrust: t("Manage trust"),
  };
  const { remedy } = failure;
  return h(
    "div",
    { class: "message message-error", role: "alert" },
    h("p", {}, failure.message),
    remedy && button(titles[remedy], () => void page.transport.ask("host/remedy", { remedy }), "secondary"),
  );
}

export type ButtonKind = "primary" | "secondary" | "quiet";

export function button(label: string, action: () => void, kind: ButtonKind = "secondary", attributes: Record<string, string> = {}): HTMLButtonElement {
  return h("button", { type: "button", class: `button ${kind}`, onclick: action, ...attributes }, label);
}
