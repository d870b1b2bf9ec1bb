import * as vscode from "vscode";
import { createServer, type Server } from "./client.ts";
import { registerExerciseCommands } from "./commands/exercise.ts";
import { registerOpen } from "./commands/open.ts";
import { registerServerCommands } from "./commands/server.ts";
import { createCells } from "./lessons/cells.ts";
import { createExercises } from "./lessons/exercises.ts";
import { registerLenses } from "./lessons/lenses.ts";
import { createCourseModel } from "./lessons/model.ts";
import { registerTrees } from "./lessons/tree.ts";
import { createChannels } from "./log.ts";
import { createPages } from "./panel/pages.ts";
import { watchActiveEnvironment } from "./python/extension.ts";
import { registerComplaints, registerStatus } from "./status.ts";
import { createVirtualDocuments } from "./virtualDocuments.ts";

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const channels = createChannels();
  const active = watchActiveEnvironment();
  const documents = createVirtualDocuments();
  server = createServer(context, channels, active);
  const model = createCourseModel(server, channels.log);
  const cells = createCells(server, context.globalState);
  const exercises = createExercises(server, documents);
  const pages = createPages(context, { server, model, cells, exercises, log: channels.log });

  context.subscriptions.push(
    channels,
    active,
    documents,
    server,
    model,
    cells,
    exercises,
    pages,
    registerStatus(server),
    registerComplaints(server),
    registerTrees(model),
    registerLenses(model, exercises),
    registerOpen(pages, model, server, documents),
    registerExerciseCommands({ server, model, exercises, cells, pages }),
    registerServerCommands(server, model, channels),
  );
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
