// The page's side of the worker: requests, cancelling, and a new worker when one has died.

import type { FromWorker, Keys, Method, Methods, Refusal, ToWorker } from "./protocol";

/** An answer that reports a mistake in the request. */
export class Refused extends Error {
  constructor(
    readonly refusal: Refusal,
    readonly more: Record<string, unknown> = {},
  ) {
    super(refusal.message);
  }
}

/** The worker went away before it answered. */
export class Ended extends Error {}

interface Waiting {
  resolve(value: { value: unknown; bytes: Uint8Array; ms: number }): void;
  reject(error: Error): void;
}

/** Whether this browser has the vectors of WebAssembly: a function that splats a zero. */
export function hasSimd(): boolean {
  const module = [
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
  ];
  try {
    return WebAssembly.validate(new Uint8Array(module));
  } catch {
    return false;
  }
}

export class Engine {
  private worker: Worker | null = null;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private own: { name: string; bytes: Uint8Array } | null = null;
  private deaths: number[] = [];
  /** Whether the build with vectors runs. */
  readonly simd = hasSimd();
  /** Called when a worker has died, with its words; and whether another one has been started. */
  onDeath: (message: string, restarted: boolean) => void = () => {};
  /** Called when a worker has taken the place of one that died or was cancelled. */
  onRestart: () => void = () => {};

  constructor() {
    this.start();
  }

  private start(): void {
    const base = new URL("./", import.meta.url).href;
    const worker = new Worker(new URL("worker.js", base), { type: "module" });
    this.worker = worker;
    worker.onmessage = (event: MessageEvent<FromWorker>) => this.receive(worker, event.data);
    worker.onerror = (event) => this.died(worker, event.message || "the worker could not be started");
    this.post({ kind: "begin", simd: this.simd, base });
    if (this.own) this.hold(this.own.name, this.own.bytes).catch(() => {});
  }

  private post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private receive(from: Worker, message: FromWorker): void {
    if (from !== this.worker) return;
    if (message.kind === "dead") return this.died(from, message.message);
    if (message.kind !== "answer") return;
    const waiting = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (!waiting) return;
    const value = JSON.parse(message.json);
    if (value.error) waiting.reject(new Refused(value.error, value));
    else waiting.resolve({ value, bytes: message.bytes, ms: message.ms });
  }

  private died(worker: Worker, message: string): void {
    if (worker !== this.worker) return;
    // One that dies again and again is not started again and again. A file that it died of is not tried again, either.
    const now = Date.now();
    this.deaths = this.deaths.filter((time) => now - time < 30_000).concat(now);
    const again = this.deaths.length < 4;
    if (this.deaths.length > 1) this.own = null;
    this.end();
    if (again) this.start();
    this.onDeath(message, again);
    if (again) this.onRestart();
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = null;
    for (const waiting of this.waiting.values()) waiting.reject(new Ended("the worker has ended"));
    this.waiting.clear();
  }

  /** Ends whatever is under way: the worker goes, and another one comes. */
  cancel(): void {
    this.end();
    this.start();
    this.onRestart();
  }

  /** Starts again after too many deaths. */
  revive(): void {
    this.deaths = [];
    this.cancel();
  }

  /** For tests. */
  panic(): void {
    this.post({ kind: "panic" });
  }

  ask<M extends Method>(
    method: M,
    parameters: Methods[M]["asks"],
    bytes?: Uint8Array,
  ): Promise<{ value: Methods[M]["gives"]; bytes: Uint8Array; ms: number }> {
    return new Promise((resolve, reject) => {
      if (!this.worker) return reject(new Ended("there is no worker"));
      const id = this.next++;
      this.waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      this.post({ kind: "ask", id, method, parameters, bytes });
    });
  }

  /** Gives the worker a user's file, which later workers get too. */
  async hold(name: string, bytes: Uint8Array): Promise<Methods["file"]["gives"]> {
    this.own = { name, bytes };
    try {
      return (await this.ask("file", { name }, bytes)).value;
    } catch (error) {
      if (error instanceof Refused) this.own = null;
      throw error;
    }
  }

  get ownName(): string | null {
    return this.own?.name ?? null;
  }
}

/** Asks for the latest of many wishes: while one is under way, only the last of those that follow is kept. */
export class Latest<T> {
  private busy = false;
  private wish: (() => Promise<T>) | null = null;

  constructor(
    private readonly done: (value: T) => void,
    private readonly failed: (error: unknown) => void,
  ) {}

  ask(wish: () => Promise<T>): void {
    this.wish = wish;
    void this.run();
  }

  private async run(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.wish) {
      const wish = this.wish;
      this.wish = null;
      try {
        this.done(await wish());
      } catch (error) {
        this.failed(error);
      }
    }
    this.busy = false;
  }
}

export type { Keys };
