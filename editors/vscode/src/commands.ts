// Commands that run the program and show what it prints.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { run } from "./program";
import { checkOptions } from "./settings";

/** Output of the program, as read-only documents. */
export class Pages implements vscode.TextDocumentContentProvider {
  static readonly SCHEME = "texunit";

  provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    return explanation(decodeURIComponent(uri.path.replace(/^\//, "")));
  }
}

async function explanation(code: string): Promise<string> {
  const { out, err } = await run(["explain-code", code]);
  return out || err;
}

function activeFile(language: string, what: string): vscode.TextDocument {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.languageId !== language && !document?.fileName.endsWith(`.${language}`)) {
    throw new Error(`the active editor does not show ${what}`);
  }
  return document;
}

/** Checks the saved file as `texunit check` does, with the settings of the server. */
export async function checkFile(output: vscode.OutputChannel): Promise<void> {
  const document = activeFile("ptx", "a PTX file");
  if (document.isUntitled || (document.isDirty && !(await document.save()))) {
    throw new Error("the file is not saved");
  }
  const args = ["check", ...checkOptions(), document.fileName];
  const { code, out, err } = await run(args);
  output.appendLine(`texunit ${args.join(" ")}`);
  output.append(out + err);
  output.appendLine(code === 0 ? "nothing was found\n" : `exit code ${code}\n`);
  output.show(true);
}

/** The code of a diagnostic at the cursor, the nearest one of its line if none is there. */
function codeAt(editor: vscode.TextEditor): string {
  const at = editor.selection.active;
  const all = vscode.languages.getDiagnostics(editor.document.uri);
  const own = all.filter((diagnostic) => diagnostic.source === "texunit" && diagnostic.code !== undefined);
  const line = own.filter((d) => d.range.start.line <= at.line && at.line <= d.range.end.line);
  const found = own.find((diagnostic) => diagnostic.range.contains(at)) ?? line[0];
  if (found === undefined) {
    throw new Error("there is no diagnostic of texunit at the cursor");
  }
  const code = found.code;
  return String(typeof code === "object" ? code.value : code);
}

/** Opens the page of the code: what it means, with a wrong and a right example. */
export async function explainCode(pages: Pages): Promise<void> {
  activeFile("ptx", "a PTX file");
  const code = codeAt(vscode.window.activeTextEditor as vscode.TextEditor);
  // Also checked here, so that a missing program is reported and not shown as a page.
  await pages.provideTextDocumentContent(uriOf(code));
  const document = await vscode.workspace.openTextDocument(uriOf(code));
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    preview: true,
  });
}

function uriOf(code: string): vscode.Uri {
  return vscode.Uri.parse(`${Pages.SCHEME}:/${encodeURIComponent(code)}`);
}

/** Runs the job of the active editor and shows what the fetches and surface accesses of a thread did, as pictures. */
export async function explainThread(): Promise<void> {
  const document = activeFile("toml", "a job file");
  if (document.isUntitled || (document.isDirty && !(await document.save()))) {
    throw new Error("the job is not saved");
  }
  const thread = await vscode.window.showInputBox({
    title: "Thread to explain",
    prompt: "Number in the whole grid: %ctaid * %ntid + %tid of each axis",
    value: "0,0,0",
    validateInput: (text) =>
      /^\s*\d+\s*(,\s*\d+\s*){0,2}$/.test(text) ? undefined : "expected up to three numbers, such as 3,5,0",
  });
  if (thread === undefined) {
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), "texunit-"));
  try {
    const page = join(folder, "page.svg");
    const args = ["launch", document.fileName, "--quiet", "--out", join(folder, "out")];
    args.push("--explain", thread.replaceAll(/\s/g, ""), "--explain-out", page);
    const title = { location: vscode.ProgressLocation.Notification, title: "texunit launch" };
    const { err } = await vscode.window.withProgress(title, () => run(args, dirname(document.fileName)));
    const svg = await readFile(page, "utf8").catch(() => undefined);
    if (svg === undefined) {
      throw new Error(err.trim() || "the launch explains nothing");
    }
    showPicture(`Thread (${thread})`, svg);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The picture in its own page, without scripts. */
function showPicture(title: string, svg: string): void {
  const panel = vscode.window.createWebviewPanel("texunit.picture", title, vscode.ViewColumn.Beside, {});
  panel.webview.html = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title.replaceAll(/[<>&]/g, " ")}</title></head>
<body style="padding: 0">${svg}</body></html>`;
}
