// The worker: one session of texunit, asked one thing after the other.

import type { FromWorker, ToWorker } from "./protocol";

interface Texunit {
  ask(method: string, parameters: string, bytes: Uint8Array): string;
  bytes(): Uint8Array;
}
interface Glue {
  default(from: { module_or_path: string }): Promise<unknown>;
  Texunit: new () => Texunit;
}

declare const self: {
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  texunitPanicked?: (message: string) => void;
};

let session: Texunit | null = null;
let panic = "";
/** What has been asked while texunit was still being loaded. */
let early: ToWorker[] = [];
let dead = false;
self.texunitPanicked = (message) => {
  panic = message;
};

/** Says that this worker is of no use any more, and why. */
function die(error: unknown): void {
  session = null;
  dead = true;
  self.postMessage({ kind: "dead", message: panic || String(error) });
}

async function begin(base: string, simd: boolean): Promise<void> {
  const folder = simd ? "simd" : "plain";
  const glue = (await import(`${base}${folder}/texunit.js`)) as Glue;
  await glue.default({ module_or_path: `${base}${folder}/texunit_bg.wasm` });
  session = new glue.Texunit();
  self.postMessage({ kind: "ready" });
  const waiting = early;
  early = [];
  waiting.forEach(receive);
}

self.onmessage = (event) => receive(event.data);

function receive(message: ToWorker): void {
  if (message.kind === "begin") {
    begin(message.base, message.simd).catch(die);
    return;
  }
  if (message.kind === "panic") {
    die(new Error("a panic that a test has asked for"));
    return;
  }
  if (!session) {
    if (!dead) early.push(message);
    return;
  }
  try {
    const start = performance.now();
    const json = session.ask(message.method, JSON.stringify(message.parameters), message.bytes ?? new Uint8Array());
    const bytes = session.bytes();
    const ms = performance.now() - start;
    self.postMessage({ kind: "answer", id: message.id, json, bytes, ms }, [bytes.buffer as ArrayBuffer]);
  } catch (error) {
    die(error);
  }
}
