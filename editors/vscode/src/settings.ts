// Settings of the language server: those of `texunit check`, by the names that docs/lsp.md lists.

import * as vscode from "vscode";

const NAMES = ["target", "ptxVersion", "arch", "ptxasCompat", "ptxas"] as const;
const LISTS = ["allow", "deny"] as const;

/** The settings for the server; those that are not set are left out. */
export function serverSettings(): Record<string, unknown> {
  const config = vscode.workspace.getConfiguration("texunit");
  const settings: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = config.get<string | boolean | null>(name);
    if (value !== null && value !== undefined && value !== "") {
      settings[name] = value;
    }
  }
  for (const name of LISTS) {
    const list = config.get<string[]>(name);
    if (list && list.length > 0) {
      settings[name] = list;
    }
  }
  return settings;
}

/** The settings as options of `texunit check`. */
export function checkOptions(): string[] {
  const settings = serverSettings();
  const options: string[] = [];
  const flags = { target: "--target", ptxVersion: "--ptx-version", arch: "--arch" };
  for (const [name, flag] of Object.entries(flags)) {
    if (name in settings) {
      options.push(flag, String(settings[name]));
    }
  }
  // A release of ptxas asks for its verdicts, unless they are refused.
  if (settings["ptxasCompat"] ?? "ptxas" in settings) {
    options.push("--ptxas-compat");
    if ("ptxas" in settings) {
      options.push("--ptxas", String(settings["ptxas"]));
    }
  }
  for (const name of LISTS) {
    const list = (settings[name] ?? []) as string[];
    options.push(...list.flatMap((code) => [`--${name}`, code]));
  }
  return options;
}
