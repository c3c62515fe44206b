// The view "Area": many fetches by the hardware's rules, by exact weights, and the difference.

import { fill, h, save, short } from "./dom";
import { FetchView } from "./fetch/show";
import type { Explained } from "./protocol";
import { type Page, type View, wordsOf } from "./view";

const SIZE = 192;
const ROWS = 12;

interface Computed {
  hardware: Float32Array;
  exact: Float32Array;
}

export class AreaPage implements View {
  readonly element: HTMLElement;
  private readonly canvases = ["hardware", "exact", "difference"].map((name) => h("canvas", { width: SIZE, height: SIZE, role: "img", "aria-label": name }));
  private readonly status = h("p", { class: "status", role: "status" });
  private readonly bar = h("progress", { max: 1, value: 0, "aria-label": "Progress" });
  private readonly cancel = h("button", { type: "button", hidden: true }, "Cancel");
  private readonly error = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly gain = h("input", { type: "range", min: 0, max: 16, step: 1, id: "gain" });
  private readonly gainText = h("output", { for: "gain" });
  private readonly rect = h("input", { type: "text", id: "rect", spellcheck: "false", placeholder: "0,0,1,1" });
  private readonly detail = h("div", { class: "area-detail" });
  private readonly view: FetchView;
  private computed: Computed | null = null;
  private run = 0;
  private size: [number, number] = [SIZE, SIZE];
  private asked = "";

  constructor(private readonly page: Page) {
    this.view = new FetchView(page.pictures, null);
    this.gain.addEventListener("input", () => {
      page.state.set({ gain: String(2 ** Number(this.gain.value)) }, this);
      this.draw();
    });
    this.rect.addEventListener("change", () => page.state.set({ rect: this.rect.value.trim() }, null));
    this.cancel.addEventListener("click", () => {
      this.run++;
      page.engine.cancel();
      this.status.textContent = "Cancelled.";
      this.finish();
    });
    this.canvases.forEach((canvas) => {
      canvas.addEventListener("click", (event) => {
        const box = canvas.getBoundingClientRect();
        this.pick(((event.clientX - box.left) / box.width) * this.size[0], ((event.clientY - box.top) / box.height) * this.size[1]);
      });
    });
    const figures = this.canvases.map((canvas, n) =>
      h("figure", {}, canvas, h("figcaption", {}, ["By the hardware’s rules", "With exact weights", "Difference"][n], n === 2 ? [", × ", this.gainText] : null)),
    );
    const edit = h("a", { class: "button", href: "#" }, "Change texture, instruction and sampler");
    edit.addEventListener("click", (event) => {
      event.preventDefault();
      page.state.set({ view: "" });
    });
    this.element = h(
      "div",
      { class: `area${page.embed ? " compact" : ""}` },
      page.embed ? null : h("p", { class: "lead" }, "The same fetch at every pixel: with the 8-bit weights of the hardware, with unrounded weights, and the difference. Click a pixel to see its fetch."),
      this.error,
      h("div", { class: "area-figures" }, figures),
      h(
        "div",
        { class: "area-controls" },
        h("div", { class: "field" }, h("label", { for: "gain" }, "Amplification"), this.gain),
        page.embed ? null : h("div", { class: "field" }, h("label", { for: "rect" }, "Area (x0, y0, x1, y1)"), this.rect),
        h("div", { class: "area-progress" }, this.bar, this.cancel),
        this.status,
        page.embed ? null : h("div", { class: "buttons" }, edit, h("button", { type: "button", onclick: () => this.savePng() }, "Save PNG"), h("button", { type: "button", onclick: () => this.saveJson() }, "Save JSON")),
      ),
      this.detail,
    );
  }

  private get corners(): number[] {
    const found = this.page.state.get("rect").split(",").map(Number);
    return found.length === 4 && found.every(Number.isFinite) ? found : [0, 0, 1, 1];
  }

  private get gainValue(): number {
    const gain = Number(this.page.state.get("gain"));
    return gain > 0 ? gain : 256;
  }

  update(_changed: Set<string>, from: unknown): void {
    this.gain.value = String(Math.round(Math.log2(this.gainValue)));
    if (document.activeElement !== this.rect) this.rect.value = this.page.state.get("rect");
    if (from === this) return this.draw();
    const keys = { ...this.page.state.keys };
    delete keys.gain;
    delete keys.pixel;
    const asked = JSON.stringify(keys);
    if (asked === this.asked && this.computed) return this.draw();
    this.asked = asked;
    void this.compute();
  }

  /** Rows by rows, so that others get their turn and progress is seen. */
  private async compute(): Promise<void> {
    const run = ++this.run;
    const keys = { ...this.page.state.keys };
    this.error.hidden = true;
    fill(this.detail);
    try {
      const explained = (await this.page.engine.ask("explain", { keys })).value;
      const [width, height] = explained.texture.levels[0];
      const rows = explained.texture.axes > 1 ? Math.max(32, Math.min(SIZE, Math.round((SIZE * height) / width))) : 48;
      this.size = [SIZE, rows];
      for (const canvas of this.canvases) [canvas.width, canvas.height] = this.size;
      const scale = explained.texture.normalized ? [1, 1] : [width, height];
      const rect = this.page.state.get("rect") ? this.corners : [0, 0, scale[0], scale[1]];
      const hardware = new Float32Array(SIZE * rows * 4);
      const exact = new Float32Array(SIZE * rows * 4);
      this.computed = { hardware, exact };
      this.cancel.hidden = false;
      for (let row = 0; row < rows; row += ROWS) {
        const { bytes } = await this.page.engine.ask("area", { keys, rect, size: this.size, rows: [row, Math.min(rows, row + ROWS)] });
        if (run !== this.run) return;
        const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
        for (let n = 0; n < floats.length / 8; n++) {
          const to = (row * SIZE + n) * 4;
          hardware.set(floats.subarray(n * 8, n * 8 + 4), to);
          exact.set(floats.subarray(n * 8 + 4, n * 8 + 8), to);
        }
        this.bar.value = Math.min(1, (row + ROWS) / rows);
        this.draw();
      }
      this.summary(explained);
    } catch (error) {
      const words = wordsOf(error);
      if (run !== this.run || words === null) return;
      this.computed = null;
      this.error.hidden = false;
      this.error.textContent = words;
    } finally {
      if (run === this.run) this.finish();
    }
  }

  private finish(): void {
    this.cancel.hidden = true;
    this.bar.value = this.computed ? 1 : 0;
    this.element.dataset.done = "yes";
  }

  private summary(explained: Explained): void {
    const { hardware, exact } = this.computed ?? { hardware: [], exact: [] };
    let most = 0;
    for (let n = 0; n < hardware.length; n++) {
      const apart = Math.abs(hardware[n] - exact[n]);
      if (apart > most) most = apart;
    }
    this.status.textContent = `${explained.op}: the largest difference is ${short(Math.fround(most))}, ${(most * 256).toFixed(3)}/256.`;
  }

  private draw(): void {
    this.gainText.textContent = String(this.gainValue);
    const computed = this.computed;
    if (!computed) return;
    const [width, height] = this.size;
    const channels = [computed.hardware, computed.exact, null].map((values) => {
      const image = new ImageData(width, height);
      for (let n = 0; n < width * height * 4; n++) {
        if (n % 4 === 3) image.data[n] = 255;
        else if (values) image.data[n] = values[n] * 255;
        // Grey means no difference; lighter is more than exact.
        else image.data[n] = 128 + (computed.hardware[n] - computed.exact[n]) * this.gainValue * 127;
      }
      return image;
    });
    this.canvases.forEach((canvas, n) => canvas.getContext("2d")?.putImageData(channels[n], 0, 0));
  }

  private async pick(x: number, y: number): Promise<void> {
    const [width, height] = this.size;
    try {
      const explained = (await this.page.engine.ask("explain", { keys: { ...this.page.state.keys } })).value;
      const [w, hh] = explained.texture.levels[0];
      const scale = explained.texture.normalized ? [1, 1] : [w, hh];
      const rect = this.page.state.get("rect") ? this.corners : [0, 0, scale[0], scale[1]];
      const point = [rect[0] + ((rect[2] - rect[0]) * (Math.floor(x) + 0.5)) / width, rect[1] + ((rect[3] - rect[1]) * (Math.floor(y) + 0.5)) / height].map((v) => short(Math.fround(v)));
      const elements = this.page.words.geometries.find((g) => explained.op.includes(`.${g.name}.`))?.elements ?? ["x", "y"];
      const before = explained.written.at.split(",");
      const at = elements.map((element, n) => (element === "x" ? point[0] : element === "y" ? point[1] : (before[n] ?? "0"))).join(",");
      const keys = { ...this.page.state.keys, at };
      const found = (await this.page.engine.ask("explain", { keys })).value;
      if (found.kind !== "fetch") return;
      this.view.show({ texture: found.texture, explanation: found.explanation, exact: found.exact, source: { id: `area|${JSON.stringify(this.page.state.keys)}`, keys } });
      const open = h("a", { class: "button", href: "#" }, "Open in Fetch");
      open.addEventListener("click", (event) => {
        event.preventDefault();
        this.page.state.set({ view: "", at });
      });
      fill(this.detail, h("h2", {}, `The fetch at ${at}`), this.page.embed ? null : open, h("div", { class: "detail-columns" }, h("div", {}, this.view.picture, this.view.levels), h("div", {}, this.view.result, this.view.lensBox, this.view.steps)));
      this.page.state.set({ at }, this);
    } catch (error) {
      this.page.say(wordsOf(error) ?? "Try again.");
    }
  }

  private savePng(): void {
    const [width, height] = this.size;
    const all = h("canvas", { width: width * 3 + 16, height });
    const context = all.getContext("2d");
    this.canvases.forEach((canvas, n) => context?.drawImage(canvas, n * (width + 8), 0));
    all.toBlob(async (blob) => {
      if (blob) save("area.png", new Uint8Array(await blob.arrayBuffer()), "image/png");
    });
  }

  private saveJson(): void {
    if (!this.computed) return;
    const { hardware, exact } = this.computed;
    const json = { keys: this.page.state.shared, width: this.size[0], height: this.size[1], hardware: [...hardware], exact: [...exact] };
    save("area.json", JSON.stringify(json), "application/json");
  }

  redraw(): void {
    this.view.redraw();
    if (!this.computed) this.update(new Set(), null);
  }
}
