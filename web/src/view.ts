// What a view of the page is, and what all have in common.

import { Ended, type Engine, Refused } from "./engine";
import type { Pictures } from "./fetch/pictures";
import type { Words } from "./protocol";
import type { State } from "./state";

export interface Page {
  state: State;
  engine: Engine;
  pictures: Pictures;
  words: Words;
  /** Where compact pages are embedded: `fetch` or `area`. */
  embed: string | null;
  openFile(file: File): void;
  /** Says something for a moment, to screen readers, too. */
  say(text: string): void;
  dark(): boolean;
}

export interface View {
  element: HTMLElement;
  /** It is shown, or what it shows has changed. */
  update(changed: Set<string>, from: unknown): void;
  /** Draws again: another theme, another worker. */
  redraw(): void;
}

/** The words of an error, and nothing for one that another worker makes good. */
export function wordsOf(error: unknown): string | null {
  if (error instanceof Ended) return null;
  if (error instanceof Refused) return error.refusal.help ? `${error.refusal.message}: ${error.refusal.help}` : error.refusal.message;
  return error instanceof Error ? error.message : String(error);
}
