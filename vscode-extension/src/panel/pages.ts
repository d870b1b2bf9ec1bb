/** Where lesson pages stand: in a view of a side bar, or beside the editor; and which one to show a place in. */
import * as vscode from "vscode";
import { disposeAll, type Disposes } from "../disposal.ts";
import type { Place } from "../links.ts";
import { setting } from "../settings.ts";
import { serve, type Page, type Services } from "./host.ts";
import { html } from "./html.ts";
import type { HostEvent, HostEvents } from "./protocol.ts";

const PANEL = "qkv.lessonBeside";
const WELCOMED = "lesson/welcomed";
/** The first version of VS Code in which an extension may put a view into the secondary side bar. */
const SECONDARY_SIDE_BAR = [1, 106] as const;

export interface Pages extends Disposes {
  /** The place that was shown last. */
  readonly place: Place;
  /** Shows a place where lessons are shown: as the setting says, or where a page is open already. */
  show(place: Place): Promise<void>;
  showBeside(place: Place): void;
  send<E extends HostEvent>(event: E, data: HostEvents[E]): void;
}

export function createPages(context: vscode.ExtensionContext, services: Services): Pages {
  const root = vscode.Uri.joinPath(context.extensionUri, "dist", "panel");
  const viewId = hasSecondarySideBar(vscode.version) ? "qkv.lesson" : "qkv.lessonInActivityBar";
  void vscode.commands.executeCommand("setContext", "qkv.noSecondarySideBar", viewId !== "qkv.lesson");

  let place: Place = { kind: "course" };
  let inView: Page | undefined;
  /** To be shown in the view as soon as it is there. */
  let waiting: Place | null = null;
  let beside: { panel: vscode.WebviewPanel; page: Page } | undefined;
  const moved = (to: Place) => (place = to);
  const options: vscode.WebviewOptions = { enableScripts: true, localResourceRoots: [root] };

  const provider: vscode.WebviewViewProvider = {
    resolveWebviewView: (view) => {
      view.webview.options = options;
      const page = serve(view.webview, services, waiting, moved);
      waiting = null;
      inView = page;
      view.webview.html = html(view.webview, root);
      view.onDidDispose(() => {
        page.dispose();
        inView = inView === page ? undefined : inView;
      });
    },
  };

  const adopt = (panel: vscode.WebviewPanel, first: Place | null) => {
    panel.webview.options = options;
    panel.iconPath = vscode.Uri.joinPath(context.extensionUri, "media", "qkv.svg");
    const page = serve(panel.webview, services, first, moved);
    panel.webview.html = html(panel.webview, root);
    const mine = { panel, page };
    beside = mine;
    panel.onDidDispose(() => {
      page.dispose();
      beside = beside === mine ? undefined : beside;
    });
  };

  const showInView = async (to: Place) => {
    if (inView) {
      inView.show(to);
    } else {
      waiting = to;
    }
    await vscode.commands.executeCommand(`${viewId}.focus`);
  };

  const showBeside = (to: Place) => {
    if (beside) {
      beside.page.show(to);
      beside.panel.reveal(undefined, false);
    } else {
      adopt(vscode.window.createWebviewPanel(PANEL, vscode.l10n.t("Lesson"), vscode.ViewColumn.Beside, options), to);
    }
  };

  const subscriptions = [
    vscode.window.registerWebviewViewProvider(viewId, provider),
    vscode.window.registerWebviewPanelSerializer(PANEL, {
      deserializeWebviewPanel: (panel) => {
        adopt(panel, null);
        return Promise.resolve();
      },
    }),
  ];

  void welcome(context, viewId);

  return {
    get place() {
      return place;
    },
    show: async (to) => {
      if (beside || setting<string>("lessons.openIn", "secondarySideBar") === "beside") {
        showBeside(to);
      } else {
        await showInView(to);
      }
    },
    showBeside,
    send: (event, data) => {
      inView?.send(event, data);
      beside?.page.send(event, data);
    },
    dispose: () => disposeAll(...subscriptions),
  };
}

/**
 * Where nothing else lives in the secondary side bar, VS Code opens it with our view's title and leaves it empty until the view is
 * asked for. So ask, once, and leave the focus where it is.
 */
async function welcome(context: vscode.ExtensionContext, viewId: string): Promise<void> {
  const alone = vscode.workspace.getConfiguration("chat").get("disableAIFeatures") === true;
  if (alone && viewId === "qkv.lesson" && !context.globalState.get(WELCOMED)) {
    await context.globalState.update(WELCOMED, true);
    await vscode.commands.executeCommand(`${viewId}.focus`, { preserveFocus: true });
  }
}

function hasSecondarySideBar(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > SECONDARY_SIDE_BAR[0] || (major === SECONDARY_SIDE_BAR[0] && minor >= SECONDARY_SIDE_BAR[1]);
}
