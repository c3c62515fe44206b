// The view "Kernel": PTX and its job in editors, a launch, and the thread that wrote a pixel.

import { fill, h, save } from "./dom";
import { Editor, PtxEditor } from "./editor";
import { Ended } from "./engine";
import { FetchView } from "./fetch/show";
import { surfaceSteps } from "./fetch/steps";
import { packed, unpacked } from "./pack";
import type { Output, Pixel, Problem, Progress, Started } from "./protocol";
import { type Page, type View, wordsOf } from "./view";

/** An example of the repository: its files are beside the page. */
interface Example {
  name: string;
  about: string;
  job: string;
  ptx: string;
  /** From the job's folder. */
  files: string[];
}

/** How long a slice should take. */
const SLICE_MS = 60;

export class KernelPage implements View {
  readonly element: HTMLElement;
  private examples: Example[] = [];
  private readonly choose = h("select", { id: "example" });
  private readonly about = h("p", { class: "hint" });
  private readonly ptxPlace = h("div", { class: "editor" });
  private readonly jobPlace = h("div", { class: "editor job" });
  private readonly ptx: PtxEditor;
  private readonly job: Editor;
  private readonly launch = h("button", { type: "button", class: "primary" }, "Launch");
  private readonly cancel = h("button", { type: "button", hidden: true }, "Cancel");
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "CTAs that have run" });
  private readonly status = h("p", { class: "status", role: "status" });
  private readonly problems = h("ul", { class: "problems", role: "alert" });
  private readonly outputs = h("div", { class: "outputs" });
  private readonly printed = h("pre", { class: "printed", hidden: true, tabindex: 0 });
  private readonly files = h("ul", { class: "files" });
  private readonly detail = h("div", { class: "pixel-detail" });
  private readonly view: FetchView;
  private held = new Map<string, Uint8Array>();
  private loaded = "";
  private loading: Promise<void> | null = null;
  private run = 0;
  private original = { ptx: "", job: "" };
  private timer = 0;
  private started: Started | null = null;

  constructor(private readonly page: Page) {
    this.view = new FetchView(page.pictures, null);
    this.ptx = new PtxEditor(this.ptxPlace, page.engine);
    this.job = new Editor(this.jobPlace, "Job file", "toml");
    this.ptx.onChange(() => this.edited());
    this.job.onChange(() => this.edited());
    this.choose.addEventListener("change", () => page.state.set({ example: this.choose.value, ptx: "", job: "", pixel: "" }));
    this.launch.addEventListener("click", () => void this.start());
    this.cancel.addEventListener("click", () => {
      this.run++;
      page.engine.cancel();
      this.status.textContent = "Cancelled: the worker has been ended, and a new one started.";
      this.finish();
    });
    this.element = h(
      "div",
      { class: "kernel" },
      h("div", { class: "kernel-top" }, h("div", { class: "field" }, h("label", { for: "example" }, "Example"), this.choose), this.about),
      h(
        "div",
        { class: "kernel-columns" },
        h("div", { class: "kernel-texts" }, h("h2", {}, "PTX"), this.ptxPlace, h("details", { open: true }, h("summary", {}, "Job: what the kernel gets, and where its results go"), this.jobPlace, this.files)),
        h(
          "div",
          { class: "kernel-results" },
          h("div", { class: "launch-row" }, this.launch, this.cancel, this.bar),
          this.status,
          this.problems,
          this.printed,
          this.outputs,
          this.detail,
        ),
      ),
    );
  }

  update(): void {
    this.loading ??= this.begin();
    void this.loading.then(() => this.load());
  }

  private async begin(): Promise<void> {
    try {
      const response = await fetch(new URL("examples/index.json", import.meta.url));
      if (!response.ok) throw new Error(`the examples cannot be read: ${response.status}`);
      this.examples = await response.json();
      fill(this.choose, this.examples.map((example) => h("option", { value: example.name }, example.name)));
    } catch (error) {
      this.loading = null;
      this.fail(error);
    }
  }

  /** The example that the link names, with its texts or those of the link. */
  private async load(): Promise<void> {
    const name = this.page.state.get("example") || "sobel";
    const example = this.examples.find((one) => one.name === name) ?? this.examples[0];
    if (!example) return;
    this.choose.value = example.name;
    this.about.textContent = example.about;
    const what = [example.name, this.page.state.get("ptx"), this.page.state.get("job")].join("|");
    if (what === this.loaded) return;
    this.loaded = what;
    try {
      const get = async (path: string) => {
        const response = await fetch(new URL(`examples/${example.name}/${path}`, import.meta.url));
        if (!response.ok) throw new Error(`${path} cannot be read: ${response.status}`);
        return response;
      };
      this.original = { ptx: await (await get(example.ptx)).text(), job: await (await get("job.toml")).text() };
      this.held = new Map();
      for (const file of example.files) this.held.set(file, new Uint8Array(await (await get(file)).arrayBuffer()));
      this.ptx.source = (await unpacked(this.page.state.get("ptx"))) || this.original.ptx;
      this.job.text = (await unpacked(this.page.state.get("job"))) || this.original.job;
      this.listFiles();
      this.clear();
      if (this.page.state.get("pixel")) await this.start();
    } catch (error) {
      this.loaded = "";
      this.fail(error);
    }
  }

  /** Files of the job; any of them can be another one. */
  private listFiles(): void {
    fill(
      this.files,
      [...this.held.keys()].map((name, n) => {
        const input = h("input", { type: "file", class: "visually-hidden", id: `held${n}` });
        input.addEventListener("change", async () => {
          const file = input.files?.[0];
          if (!file) return;
          this.held.set(name, new Uint8Array(await file.arrayBuffer()));
          this.page.say(`${file.name} takes the place of ${name}. Links leave it out.`);
          void this.start();
        });
        return h("li", {}, h("code", {}, name), input, h("label", { for: `held${n}`, class: "button small" }, "Another file…"));
      }),
    );
  }

  private edited(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(async () => {
      const text = async (now: string, was: string) => (now === was ? "" : await packed(now));
      const [ptx, job] = [await text(this.ptx.text, this.original.ptx), await text(this.job.text, this.original.job)];
      this.loaded = [this.choose.value, ptx, job].join("|");
      this.page.state.set({ ptx, job, pixel: "" }, this);
    }, 400);
  }

  private clear(): void {
    fill(this.problems);
    fill(this.outputs);
    fill(this.detail);
    this.printed.hidden = true;
    this.status.textContent = "";
    this.bar.value = 0;
    this.ptx.mark(null);
    this.job.mark(null);
  }

  private async start(): Promise<void> {
    const run = ++this.run;
    this.clear();
    this.launch.disabled = true;
    this.cancel.hidden = false;
    this.element.dataset.state = "running";
    const { engine } = this.page;
    try {
      let fresh = true;
      for (const [name, bytes] of this.held) {
        await engine.ask("hold", { name, fresh }, bytes);
        fresh = false;
      }
      if (fresh) await engine.ask("hold", { name: "none", fresh }, new Uint8Array());
      const started = (await engine.ask("start", { job: this.job.text, ptx: this.ptx.text })).value;
      if (run !== this.run) return;
      if (started.problems) {
        this.show(started.problems);
        this.status.textContent = "Not launched.";
        return;
      }
      this.started = started;
      this.warn(started.warnings ?? []);
      await this.slices(run, started);
    } catch (error) {
      if (run === this.run) this.fail(error);
    } finally {
      if (run === this.run) this.finish();
    }
  }

  /** Ranges of CTAs, as many at a time as take about a sixteenth of a second. */
  private async slices(run: number, started: Started): Promise<void> {
    let ctas = 1;
    const begin = performance.now();
    const sums = { instructions: 0, fetches: 0, accesses: 0 };
    let printed = "";
    for (;;) {
      const { value, ms } = await this.page.engine.ask("run", { ctas });
      if (run !== this.run) return;
      if (value.stats) {
        sums.instructions += value.stats.thread_instructions;
        sums.fetches += value.stats.fetches;
        sums.accesses += value.stats.surface_accesses;
        if (printed.length < 65_536) printed += value.stats.printf;
      }
      this.bar.value = value.total ? value.done / value.total : 1;
      this.element.dataset.done = String(value.done);
      this.status.textContent = `${value.done} of ${value.total} CTAs`;
      this.printed.hidden = printed === "";
      this.printed.textContent = printed;
      const over = value.fault !== null || value.done >= value.total;
      if (over) {
        await this.pictures(started.outputs ?? []);
        this.ended(value, sums, performance.now() - begin);
        break;
      }
      ctas = Math.max(1, Math.min(65_536, Math.round((ctas * SLICE_MS) / Math.max(ms, 1))));
    }
    await this.again();
  }

  private ended(value: Progress, sums: { instructions: number; fetches: number; accesses: number }, ms: number): void {
    if (value.fault) {
      this.show(value.fault.problems);
      const thread = value.fault.thread ? ` in thread (${value.fault.thread.join(", ")})` : "";
      this.status.textContent = `A fault${thread} has ended the launch.`;
      return;
    }
    const parts = [`${value.total} CTAs in ${(ms / 1000).toFixed(2)} s`, `${sums.instructions.toLocaleString("en")} thread instructions`];
    if (sums.fetches) parts.push(`${sums.fetches.toLocaleString("en")} fetches`);
    if (sums.accesses) parts.push(`${sums.accesses.toLocaleString("en")} surface accesses`);
    this.status.textContent = `${parts.join(", ")}.`;
  }

  private finish(): void {
    this.launch.disabled = false;
    this.cancel.hidden = true;
    this.element.dataset.state = "idle";
  }

  private warn(warnings: Problem[]): void {
    this.problems.append(...warnings.map((problem) => this.problem(problem)));
  }

  private problem(problem: Problem): HTMLElement {
    const where = problem.line ? `${problem.file === "job" ? "job" : "PTX"}, line ${problem.line}: ` : "";
    const text = h("span", {}, `${problem.severity}${problem.code ? ` ${problem.code}` : ""}: ${where}${problem.message}${problem.label ? ` (${problem.label})` : ""}`);
    const help = problem.help ? h("span", { class: "help" }, problem.help) : null;
    if (!problem.line) return h("li", { class: problem.severity }, text, help);
    const go = h("button", { type: "button", class: "small" }, "Show");
    go.addEventListener("click", () => (problem.file === "job" ? this.job : this.ptx).mark(problem.line ?? null, "fault-line"));
    return h("li", { class: problem.severity }, text, help, go);
  }

  private show(problems: Problem[]): void {
    fill(this.problems, problems.map((problem) => this.problem(problem)));
    this.job.problems(problems.filter((problem) => problem.file === "job"));
    const first = problems.find((problem) => problem.line);
    if (first) (first.file === "job" ? this.job : this.ptx).mark(first.line ?? null, "fault-line");
  }

  private async pictures(outputs: Output[]): Promise<void> {
    fill(this.outputs);
    for (const [n, output] of outputs.entries()) this.outputs.append(await this.output(n, output));
  }

  private async output(n: number, output: Output): Promise<HTMLElement> {
    const { value, bytes } = await this.page.engine.ask("output", { output: n, z: 0, file: false });
    const canvas = h("canvas", { width: value.width, height: value.height, class: "output", tabindex: 0, role: "img", "aria-label": `${output.file}: click a pixel, or press Enter, to see the thread that wrote it` });
    const context = canvas.getContext("2d");
    context?.putImageData(new ImageData(new Uint8ClampedArray(bytes), value.width, value.height), 0, 0);
    // Small results are seen better as numbers.
    const grows = Math.max(1, Math.floor(384 / Math.max(value.width, value.height)));
    canvas.style.width = `${value.width * Math.min(grows, 24)}px`;
    canvas.addEventListener("click", (event) => {
      const box = canvas.getBoundingClientRect();
      const x = Math.floor(((event.clientX - box.left) / box.width) * value.width);
      const y = Math.floor(((event.clientY - box.top) / box.height) * value.height);
      void this.pixel(n, x, y);
    });
    const cursor = { x: Math.floor(value.width / 2), y: Math.floor(value.height / 2) };
    canvas.addEventListener("keydown", (event) => {
      const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
      const way = ways[event.key];
      if (way) {
        const step = event.shiftKey ? 16 : 1;
        cursor.x = Math.min(value.width - 1, Math.max(0, cursor.x + way[0] * step));
        cursor.y = Math.min(value.height - 1, Math.max(0, cursor.y + way[1] * step));
        this.page.say(`Pixel ${cursor.x}, ${cursor.y}`);
      } else if (event.key === "Enter" || event.key === " ") {
        void this.pixel(n, cursor.x, cursor.y);
      } else return;
      event.preventDefault();
    });
    const download = h("button", { type: "button", class: "small" }, "Save");
    download.addEventListener("click", async () => {
      const file = await this.page.engine.ask("output", { output: n, z: 0, file: true });
      save(file.value.name ?? output.file, file.bytes, "application/octet-stream");
    });
    const size = output.extent ? output.extent.filter((extent, axis) => axis < 2 || extent > 1).join(" × ") : `${output.bytes} bytes`;
    return h("figure", { class: "output-figure" }, canvas, h("figcaption", {}, h("code", {}, output.file), ` ${size}${output.format ? ` of ${output.format}` : ""} `, download), numbers(value.values, value.width));
  }

  /** The pixel that the link names. */
  private async again(): Promise<void> {
    const [x, y, output = 0] = this.page.state.get("pixel").split(",").map(Number);
    if (Number.isFinite(x) && Number.isFinite(y)) await this.pixel(output, x, y);
  }

  private async pixel(output: number, x: number, y: number): Promise<void> {
    this.page.state.set({ pixel: output ? `${x},${y},${output}` : `${x},${y}` }, this);
    fill(this.detail, h("p", { class: "status" }, "Running this thread again…"));
    try {
      const { value } = await this.page.engine.ask("pixel", { output, at: [x, y, 0] });
      this.page.pictures.forget();
      this.showPixel(value, x, y);
    } catch (error) {
      fill(this.detail, h("p", { class: "problem" }, wordsOf(error) ?? "The worker has ended: launch again."));
    }
  }

  private showPixel(pixel: Pixel, x: number, y: number): void {
    if (!pixel.thread) return fill(this.detail, h("h2", {}, `Pixel (${x}, ${y})`), h("p", { class: "note" }, "No thread has written it."));
    const place = h("div", { class: "access" });
    const show = (n: number, button: HTMLElement | null) => {
      list.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
      const access = pixel.accesses[n];
      this.ptx.mark(access.line);
      const what = access.what;
      if (what.kind === "none") return fill(place, h("p", { class: "problem" }, what.error));
      if (what.kind === "surface") return fill(place, h("p", { class: "lead" }, h("code", {}, what.explanation.instruction), " on ", what.explanation.surface.replace(/`/g, "")), surfaceSteps(what.explanation));
      this.view.show({ texture: what.texture, explanation: what.explanation, exact: null, source: { id: `pixel|${x}|${y}|${what.subject}`, subject: what.subject } });
      fill(place, this.view.picture, this.view.levels, this.view.result, this.view.lensBox, this.view.steps);
    };
    const list = h(
      "ol",
      { class: "accesses" },
      pixel.accesses.map((access, n) => {
        const button = h("button", { type: "button" }, h("code", {}, access.text), h("span", { class: "hint" }, ` line ${access.line}${access.source ? `, ${access.source.file.split("/").pop()}:${access.source.line}` : ""}`));
        button.addEventListener("click", () => show(n, button));
        return h("li", {}, button);
      }),
    );
    const count = pixel.accesses.length + pixel.more;
    const none = count === 0 ? h("p", { class: "note" }, "It made no fetch and no surface access.") : null;
    fill(
      this.detail,
      h("h2", {}, `Pixel (${x}, ${y}) was written by thread (${pixel.thread.join(", ")})`),
      none ?? h("p", { class: "hint" }, `${count} ${count === 1 ? "access" : "accesses"}, in order. Its CTA was run again alone${pixel.fault ? ", and ended in a fault" : ""}.`),
      list,
      pixel.more ? h("p", { class: "note" }, `${pixel.more} more are not shown.`) : null,
      place,
    );
    if (pixel.accesses.length) show(0, list.querySelector("button"));
  }

  private fail(error: unknown): void {
    if (error instanceof Ended) return;
    fill(this.problems, h("li", { class: "error" }, wordsOf(error) ?? ""));
  }

  redraw(): void {
    this.view.redraw();
  }

  /** Another worker: it has neither the document nor the kernel. */
  renew(): void {
    this.ptx.again();
    if (this.element.dataset.state === "running") this.finish();
    this.started = null;
  }

  get hasStarted(): boolean {
    return this.started !== null;
  }
}

/** A few numbers as a table. */
function numbers(values: number[][], width: number): HTMLElement | null {
  if (values.length === 0 || values.length > 64) return null;
  const rows = [];
  for (let n = 0; n < values.length; n += width) rows.push(values.slice(n, n + width));
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Values" }, h("table", { class: "texels" }, h("tbody", {}, rows.map((row) => h("tr", {}, row.map((value) => h("td", {}, value.map((v) => String(Number(v?.toPrecision(7)))).join(" "))))))));
}
