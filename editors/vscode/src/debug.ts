// The debugger: `texunit dap` as an adapter, F5 without a launch.json, and the fetch under the cursor as a picture.

import * as vscode from "vscode";
import { programPath } from "./program";

/** Starts the adapter of the program that the settings name. */
class Adapters implements vscode.DebugAdapterDescriptorFactory {
  createDebugAdapterDescriptor(): vscode.DebugAdapterDescriptor {
    return new vscode.DebugAdapterExecutable(programPath(), ["dap"]);
  }
}

/** What F5 does without a launch.json: a job runs, of another file someone is asked for the program. */
class Configurations implements vscode.DebugConfigurationProvider {
  async resolveDebugConfiguration(
    folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): Promise<vscode.DebugConfiguration | undefined> {
    if (configuration.type && configuration.program) {
      return configuration;
    }
    const file = vscode.window.activeTextEditor?.document.uri.fsPath;
    const isJob = file?.endsWith(".toml") ?? false;
    const chosen = isJob
      ? file
      : await vscode.window.showInputBox({
          prompt: "The CUDA program whose kernels are debugged",
          value: folder ? `${folder.uri.fsPath}/a.out` : "",
        });
    if (!chosen) {
      return undefined;
    }
    return { ...configuration, type: "texunit", request: "launch", name: "CUDA kernel", program: chosen, stopOnEntry: isJob };
  }
}

/** Shows what the fetch does that the thread stopped at. */
async function showFetch(): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== "texunit") {
    throw new Error("no kernel is debugged");
  }
  const answer: { svg: string } = await session.customRequest("texunit/fetch");
  const panel = vscode.window.createWebviewPanel("texunit.fetch", "Fetch", vscode.ViewColumn.Beside, {});
  // The picture has no scripts; the panel runs none.
  panel.webview.html = `<!DOCTYPE html><html><head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"></head><body style="background:#fff">${answer.svg}</body></html>`;
}

/** Everything that the extension contributes for debugging. */
export function debugging(command: (name: string, run: () => Promise<void>) => vscode.Disposable): vscode.Disposable[] {
  return [
    vscode.debug.registerDebugAdapterDescriptorFactory("texunit", new Adapters()),
    vscode.debug.registerDebugConfigurationProvider("texunit", new Configurations()),
    command("showFetch", showFetch),
  ];
}
