// The extension: a client of `texunit lsp`, and commands that run the program.

import * as vscode from "vscode";
import { explainCode, explainThread, checkFile, Pages } from "./commands";
import { debugging } from "./debug";
import { NotFound, sayNotFound } from "./program";
import { Server } from "./server";

/** What is handed to tests and to other extensions. */
export interface Api {
  /** Resolves when the language server answers, with whether it does. */
  ready: Promise<boolean>;
  restart(): Promise<boolean>;
}

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): Api {
  const output = vscode.window.createOutputChannel("texunit");
  const trace = vscode.window.createOutputChannel("texunit trace");
  const pages = new Pages();
  const running = new Server(output, trace);
  server = running;
  const command = (name: string, run: () => Promise<void>) =>
    vscode.commands.registerCommand(`texunit.${name}`, () => guarded(output, run));
  context.subscriptions.push(
    output,
    trace,
    running,
    vscode.workspace.registerTextDocumentContentProvider(Pages.SCHEME, pages),
    command("restartServer", async () => void (await running.restart())),
    command("checkFile", () => checkFile(output)),
    command("explainCode", () => explainCode(pages)),
    command("explainThread", () => explainThread()),
    ...debugging(command),
    vscode.workspace.onDidChangeConfiguration((event) => running.settingsChanged(event)),
  );
  return { ready: running.start(), restart: () => running.restart() };
}

export function deactivate(): Thenable<void> | undefined {
  const stopping = server?.stop();
  server = undefined;
  return stopping;
}

/** A command that fails says why. */
async function guarded(output: vscode.OutputChannel, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (error instanceof NotFound) {
      return sayNotFound(error);
    }
    const message = error instanceof Error ? error.message : String(error);
    output.appendLine(message);
    await vscode.window.showErrorMessage(`texunit: ${message}`);
  }
}
