// The state of the page: the keys of its link. README.md of this folder describes them.

import type { Keys } from "./protocol";

/** Keys that are not part of a link. */
const NEVER = new Set(["own-name"]);
/** The value of `tex` for a user's file. */
const OWN = "own";

export function read(fragment: string): Keys {
  const keys: Keys = {};
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const at = part.indexOf("=");
    if (at <= 0) continue;
    try {
      // Links are written by people, too: + is a plus.
      keys[decodeURIComponent(part.slice(0, at))] = decodeURIComponent(part.slice(at + 1));
    } catch {
      // What is not percent-encoded rightly is left out.
    }
  }
  return keys;
}

/** What needs no percent sign in a fragment stays as it is, so that links can be read. */
function plain(text: string): string {
  return encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%2F/g, "/").replace(/%3B/g, ";");
}

export function write(keys: Keys): string {
  const parts = Object.entries(keys).filter(([key, value]) => value !== "" && !NEVER.has(key));
  return parts.map(([key, value]) => `${plain(key)}=${plain(value)}`).join("&");
}

type Listener = (changed: Set<string>, from: unknown) => void;

export class State {
  keys: Keys;
  private listeners: Listener[] = [];
  private timer = 0;
  private written = "";

  constructor() {
    this.keys = read(location.hash);
    this.written = location.hash.replace(/^#/, "");
    addEventListener("hashchange", () => {
      const now = location.hash.replace(/^#/, "");
      if (now === this.written) return;
      this.written = now;
      const before = this.keys;
      this.keys = read(now);
      const changed = new Set([...Object.keys(before), ...Object.keys(this.keys)]);
      this.tell(changed, null);
    });
  }

  get(key: string): string {
    return this.keys[key] ?? "";
  }

  /** Sets keys; an empty value takes a key away. `from` is who does it, so that it need not listen to itself. */
  set(values: Record<string, string | null | undefined>, from: unknown = null): void {
    const changed = new Set<string>();
    for (const [key, value] of Object.entries(values)) {
      const text = value ?? "";
      if (this.get(key) === text) continue;
      changed.add(key);
      if (text === "") delete this.keys[key];
      else this.keys[key] = text;
    }
    if (changed.size === 0) return;
    this.tell(changed, from);
    // Browsers refuse hundreds of changes of the address a second.
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.show(), 150);
  }

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  private tell(changed: Set<string>, from: unknown): void {
    for (const listener of this.listeners) listener(changed, from);
  }

  /** The keys that a link has: a user's file left out. */
  get shared(): Keys {
    const keys = { ...this.keys };
    if (keys.tex === OWN) delete keys.tex;
    return keys;
  }

  private show(): void {
    this.written = write(this.keys);
    history.replaceState(null, "", `${location.pathname}${location.search}${this.written ? "#" + this.written : ""}`);
  }

  /** The address of what is shown. */
  link(): string {
    const url = new URL(location.href);
    url.search = "";
    url.hash = write(this.shared);
    return url.href;
  }

  get hasOwn(): boolean {
    return this.get("tex") === OWN;
  }
}
