// The language server: started, told about settings, and started again.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { NotFound, programPath, run, sayNotFound } from "./program";
import { serverSettings } from "./settings";

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  /** Starts and stops follow each other, however fast they are requested. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly output: vscode.OutputChannel,
    private readonly trace: vscode.OutputChannel,
  ) {}

  /** Whether the server answers; a message has said why it does not. */
  start(): Promise<boolean> {
    return this.next(() => this.startNow());
  }

  restart(): Promise<boolean> {
    return this.next(async () => {
      await this.stopNow();
      return this.startNow();
    });
  }

  stop(): Promise<void> {
    return this.next(() => this.stopNow());
  }

  dispose(): void {
    void this.stop();
  }

  /** A different program is a different server; other changes are sent to it. */
  settingsChanged(event: vscode.ConfigurationChangeEvent): void {
    if (event.affectsConfiguration("texunit.path")) {
      void this.restart();
    } else if (event.affectsConfiguration("texunit")) {
      const settings = serverSettings();
      void this.client?.sendNotification("workspace/didChangeConfiguration", { settings });
    }
  }

  private next<T>(step: () => Promise<T>): Promise<T> {
    const done = this.last.then(step, step);
    this.last = done.catch(() => undefined);
    return done;
  }

  private async startNow(): Promise<boolean> {
    try {
      // A program that is missing, or is not texunit, is reported more clearly before it is started as a server.
      const version = await run(["--version"]);
      if (version.code !== 0 || !version.out.startsWith("texunit ")) {
        throw new NotFound(programPath(), "it is not texunit");
      }
      this.output.appendLine(`${version.out.trim()}: ${programPath()}`);
      this.client = new LanguageClient("texunit", "texunit", this.program(), this.options());
      await this.client.start();
      return true;
    } catch (error) {
      this.client = undefined;
      const message = error instanceof Error ? error.message : String(error);
      this.output.appendLine(`the language server does not start: ${message}`);
      const told =
        error instanceof NotFound ? error : new NotFound(programPath(), `no language server: ${message}`);
      void sayNotFound(told);
      return false;
    }
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.isRunning()) {
      await client.stop();
    }
    await client?.dispose();
  }

  private program(): ServerOptions {
    return { command: programPath(), args: ["lsp"] };
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ language: "ptx" }],
      initializationOptions: serverSettings(),
      outputChannel: this.output,
      traceOutputChannel: this.trace,
    };
  }
}
