/** A cell: code that may be changed, Run and Stop, and what it printed. */
import type { CellBlock, Picture, RunResult } from "../../server/content.ts";
import type { OutputStream } from "../../server/requests.ts";
import type { Bind, RunRecord } from "../protocol.ts";
import { heading } from "./blocks.ts";
import { codeEditor } from "./code.ts";
import { h } from "./dom.ts";
import { inlines, plainText } from "./inlines.ts";
import { button, failureNote, type Page } from "./page.ts";
import { errorTrace } from "./trace.ts";
import { t } from "./sentences.ts";

export interface CellContext {
  part: string;
  draft: string | null;
  run: RunRecord | null;
  onPictures(pictures: readonly Picture[]): void;
}

export interface CellView {
  element: HTMLElement;
  /** Runs the cell with values for some of its names; one after the other, and only the newest of those that wait. */
  runWith(bind: Bind): void;
}

export function cell(page: Page, block: CellBlock, context: CellContext): CellView {
  const name = block.title ?? block.id;
  const { transport } = page;
  let running: string | null = null;
  let next: Bind | null = null;

  const editor = codeEditor(
    context.draft ?? block.code,
    t("Code of {0}", name),
    (code) => keep(code === block.code ? null : code),
    () => void run(),
  );
  const runButton = button(t("Run"), () => void run(), "primary", { "aria-label": t("Run {0}", name) });
  const stopButton = button(t("Stop"), () => void stop(), "secondary", { "aria-label": t("Stop {0}", name) });
  const resetButton = button(t("Reset code"), () => reset(), "quiet");
  const openButton = button(t("Open in editor"), () => void transport.ask("host/openCode", { code: editor.value() }), "quiet");
  const output = outputArea(page, name);
  stopButton.hidden = true;
  resetButton.hidden = context.draft === null;

  let saving: ReturnType<typeof setTimeout> | undefined;
  let unsaved: (() => void) | undefined;
  const keep = (code: string | null) => {
    resetButton.hidden = code === null;
    clearTimeout(saving);
    unsaved = () => {
      unsaved = undefined;
      void transport.ask("host/keepDraft", { part: context.part, cell: block.id, code });
    };
    saving = setTimeout(() => unsaved?.(), 300);
  };
  page.over.addEventListener("abort", () => unsaved?.());

  const reset = () => {
    const mine = editor.value();
    editor.set(block.code);
    keep(null);
    const undo = button(
      t("Undo"),
      () => {
        editor.set(mine);
        keep(mine);
        undo.remove();
        resetButton.focus();
      },
      "quiet",
    );
    resetButton.after(undo);
    undo.focus();
    page.announce(t("The code is as the lesson has it."));
  };

  const run = async (bind: Bind = {}) => {
    if (running) {
      return;
    }
    const code = editor.value();
    try {
      await transport.ask("host/run", { part: context.part, cell: block.id, code: code === block.code ? null : code, bind });
    } catch (error) {
      output.fail(error);
    }
  };
  const stop = async () => {
    if (running) {
      await transport.ask("host/stop", { id: running }).catch((error: unknown) => output.fail(error));
    }
  };
  const setRunning = (id: string | null) => {
    const hadFocus = document.activeElement === runButton || document.activeElement === stopButton;
    running = id;
    stopButton.hidden = id === null;
    runButton.hidden = id !== null;
    if (hadFocus) {
      (id === null ? runButton : stopButton).focus();
    }
  };

  const mine = (data: { part: string; cell: string }) => data.part === context.part && data.cell === block.id;
  transport.on(
    "started",
    (data) => {
      if (mine(data)) {
        setRunning(data.id);
        output.start();
      }
    },
    page.over,
  );
  transport.on(
    "output",
    (data) => {
      if (mine(data) && data.id === running) {
        output.write(data.stream, data.text);
      }
    },
    page.over,
  );
  transport.on(
    "finished",
    (data) => {
      if (mine(data) && data.id === running) {
        setRunning(null);
        output.finish(data.result);
        context.onPictures(data.result.pictures);
        if (next) {
          const bind = next;
          next = null;
          void run(bind);
        }
      }
    },
    page.over,
  );

  if (context.run) {
    output.start();
    context.run.output.forEach(({ stream, text }) => output.write(stream, text));
    if (context.run.result) {
      output.finish(context.run.result);
      context.onPictures(context.run.result.pictures);
    } else {
      setRunning(context.run.id);
    }
  }

  const title = block.title ? heading(3, [t("Experiment: {0}", block.title)]) : null;
  const needs = block.needs.length > 0 ? h("p", { class: "aside" }, t("Runs {0} first.", block.needs.join(", "))) : null;
  const element = h(
    "section",
    { class: block.title ? "cell experiment" : "cell", "aria-label": block.task ? `${name}: ${plainText(block.task)}` : t("Cell {0}", name), "data-cell": block.id },
    title,
    block.task && h("p", {}, ...inlines(page, block.task)),
    needs,
    editor.element,
    h("div", { class: "buttons" }, runButton, stopButton, openButton, resetButton),
    output.element,
  );
  return {
    element,
    runWith: (bind) => {
      if (running) {
        next = bind;
      } else {
        void run(bind);
      }
    },
  };
}

interface Output {
  element: HTMLElement;
  start(): void;
  write(stream: OutputStream, text: string): void;
  finish(result: RunResult): void;
  fail(error: unknown): void;
}

function outputArea(page: Page, name: string): Output {
  const status = h("p", { class: "run-status", role: "status" });
  const text = h("pre", { class: "output", tabindex: 0, role: "group", "aria-label": t("Output of {0}", name) });
  const after = h("div", {});
  const nothingYet = h("p", { class: "aside" }, t("Press Run to see the output"));
  const element = h("div", { class: "output-area" }, nothingYet, text, status, after);
  text.hidden = true;
  let written = false;

  const write = (stream: OutputStream, said: string) => {
    written = true;
    text.hidden = false;
    text.append(stream === "stderr" ? h("span", { class: "stderr" }, said) : said);
    text.scrollTop = text.scrollHeight;
  };
  return {
    element,
    start: () => {
      written = false;
      nothingYet.remove();
      text.replaceChildren();
      text.hidden = true;
      after.replaceChildren();
      status.className = "run-status running";
      status.textContent = t("Running…");
    },
    write,
    finish: (result) => {
      if (!written) {
        write("stdout", result.stdout);
        if (!result.error) {
          write("stderr", result.stderr);
        }
      }
      text.hidden = text.textContent.trim() === "";
      status.className = `run-status ${result.status}`;
      status.textContent = summary(result, text.hidden);
      after.replaceChildren(...aftermath(page, result));
    },
    fail: (error) => {
      nothingYet.remove();
      status.textContent = "";
      after.replaceChildren(failureNote(page, error));
    },
  };
}

/** One line under the output: how it ended and how long it took. */
function summary(result: RunResult, silent: boolean): string {
  const seconds = (result.milliseconds / 1000).toFixed(2);
  switch (result.status) {
    case "finished":
      return silent ? t("Finished in {0} s. It printed nothing.", seconds) : t("Finished in {0} s", seconds);
    case "failed":
      return t("Stopped by an error after {0} s", seconds);
    case "timed-out":
      return t("Stopped after {0} s: the time is up", seconds);
    case "out-of-memory":
      return t("Stopped after {0} s: the memory is used up", seconds);
    case "stopped":
      return t("Stopped after {0} s", seconds);
    case "not-started":
      return t("Not run");
  }
}

function aftermath(page: Page, result: RunResult): Node[] {
  const found: Node[] = [];
  if (result.cut > 0) {
    found.push(h("p", { class: "aside" }, t("{0} bytes of output were left out.", result.cut)));
  }
  if (result.reason) {
    const remedy = result.status === "not-started" && result.interpreter !== null && result.torch === null ? "installTorch" : null;
    found.push(
      h(
        "div",
        { class: "message message-warning", role: "alert" },
        h("p", {}, result.reason),
        remedy && button(t("Install PyTorch"), () => void page.transport.ask("host/remedy", { remedy })),
      ),
    );
  }
  if (result.error) {
    found.push(errorTrace(result.error));
  }
  return found;
}
