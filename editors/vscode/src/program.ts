// The program `texunit`: where it is, and how it is run.

import { execFile } from "node:child_process";
import { homedir } from "node:os";
import * as vscode from "vscode";

/** Its page in the editor says how to install the program. */
const EXTENSION = "texunit.texunit-ptx";

/** What a run of the program has printed; `code` is null if a signal has ended it. */
export interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** The program could not be started. */
export class NotFound extends Error {
  constructor(
    readonly program: string,
    readonly reason: string,
  ) {
    super(`cannot run \`${program}\`: ${reason}`);
  }
}

/** What the setting `texunit.path` names. */
export function programPath(): string {
  const set = vscode.workspace.getConfiguration("texunit").get<string>("path")?.trim();
  let path = set || "texunit";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  if (folder !== undefined) {
    path = path.replaceAll("${workspaceFolder}", folder);
  }
  return path.startsWith("~/") ? homedir() + path.slice(1) : path;
}

/** Runs the program to its end. */
export function run(args: string[], cwd?: string): Promise<Ran> {
  const program = programPath();
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 256 * 1024 * 1024, windowsHide: true, ...(cwd ? { cwd } : {}) };
    execFile(program, args, options, (error, out, err) => {
      const code = error?.code;
      if (typeof code === "string") {
        reject(new NotFound(program, code === "ENOENT" ? "there is no such program" : code));
      } else {
        resolve({ code: error ? (code ?? null) : 0, out, err });
      }
    });
  });
}

/** Says that the program is missing and what to do about it. */
export async function sayNotFound(error: NotFound): Promise<void> {
  const settings = "Open settings";
  const install = "How to install";
  const chosen = await vscode.window.showErrorMessage(
    `texunit: ${error.message}. Install texunit so that it is in PATH, or set "texunit.path" to the program.`,
    settings,
    install,
  );
  if (chosen === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "texunit.path");
  } else if (chosen === install) {
    await vscode.commands.executeCommand("extension.open", EXTENSION);
  }
}
