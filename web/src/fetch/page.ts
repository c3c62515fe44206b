// The view "Fetch".

import { fill, h, png, save } from "../dom";
import { Latest, Refused } from "../engine";
import type { Explained, Geometry } from "../protocol";
import { type Page, type View, wordsOf } from "../view";
import { Forms } from "./form";
import { FetchView } from "./show";
import { surfaceSteps } from "./steps";

/** Elements of the coordinate vector that are dragged. */
const DRAGGED = ["x", "y", "z"];

export class FetchPage implements View {
  readonly element: HTMLElement;
  private readonly forms: Forms;
  private readonly view: FetchView;
  private readonly ptx = h("input", { type: "text", class: "ptx", spellcheck: "false", autocomplete: "off", autocapitalize: "off", "aria-label": "The instruction as PTX" });
  private readonly ptxError = h("p", { class: "field-error", role: "status" });
  private readonly error = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly note = h("p", { class: "note own-note", hidden: true });
  private readonly live = h("p", { class: "visually-hidden", "aria-live": "polite" });
  private readonly command = h("code", { class: "command", tabindex: 0 });
  private readonly latest: Latest<{ value: Explained; ms: number }>;
  private readonly reading: Latest<Record<string, string | null>>;
  /** The bytes of a surface access, as `texunit explain` draws them. */
  private readonly bytes = new Latest<string>(
    (svg) => {
      const about = "The texels around the access, with their bytes";
      const picture = h("img", { class: "bytes", src: `data:image/svg+xml,${encodeURIComponent(svg)}`, alt: about });
      this.view.showBytes(h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": about }, picture));
    },
    () => {},
  );
  private explained: Explained | null = null;
  private spoken = 0;
  /** Milliseconds that the worker took for the last fetch: for the tests. */
  ms = 0;

  constructor(private readonly page: Page) {
    this.forms = new Forms(page.state, page.words, page.openFile);
    this.view = new FetchView(page.pictures, (to) => this.moved(to));
    this.latest = new Latest(
      ({ value, ms }) => this.show(value, ms),
      (error) => this.failed(error),
    );
    this.reading = new Latest(
      (keys) => {
        this.ptxError.textContent = "";
        this.ptx.removeAttribute("aria-invalid");
        page.state.set(keys, this.ptx);
      },
      (error) => {
        const words = wordsOf(error);
        if (words === null) return;
        this.ptxError.textContent = words;
        this.ptx.setAttribute("aria-invalid", "true");
      },
    );
    this.ptx.addEventListener("input", () => {
      const text = this.ptx.value;
      this.reading.ask(async () => (await page.engine.ask("ptx", { text })).value.keys);
    });
    this.ptx.addEventListener("blur", () => {
      if (this.explained && !this.ptx.hasAttribute("aria-invalid")) this.ptx.value = this.explained.ptx;
    });
    this.element = page.embed ? this.compact() : this.whole();
  }

  private whole(): HTMLElement {
    return h(
      "div",
      { class: "fetch" },
      h("div", { class: "ptx-row" }, this.ptx, this.ptxError),
      this.error,
      this.note,
      h("div", { class: "fetch-forms" }, this.forms.texture, this.forms.instruction, this.forms.sampler),
      h("div", { class: "fetch-pictures" }, h("h2", { class: "visually-hidden" }, "Picture"), this.view.picture, this.view.levels),
      h("div", { class: "fetch-numbers" }, h("h2", {}, "Result"), this.view.result, h("h2", {}, "Footprint"), this.view.lensBox, h("h2", {}, "Steps"), this.view.steps, this.saves()),
      this.live,
    );
  }

  private compact(): HTMLElement {
    const whole = h("a", { class: "whole", target: "_blank", rel: "noopener" }, "Open in the playground");
    this.page.state.listen(() => whole.setAttribute("href", this.page.state.link()));
    whole.setAttribute("href", this.page.state.link());
    return h(
      "div",
      { class: "fetch compact" },
      h("div", { class: "ptx-row" }, this.ptx, this.ptxError),
      this.error,
      h("div", { class: "fetch-pictures" }, this.view.picture, this.view.levels),
      h("div", { class: "fetch-numbers" }, this.view.result, this.view.lensBox, h("details", {}, h("summary", {}, "Steps"), this.view.steps)),
      h("p", { class: "embed-foot" }, whole),
      this.live,
    );
  }

  private saves(): HTMLElement {
    const name = () => (this.page.state.get("tex") || "checker").replace(/\W+/g, "-");
    const picture = async () => (await this.page.engine.ask("svg", { keys: this.keys })).value.svg;
    const attempt = (work: () => Promise<void>) => () => work().catch((error) => this.page.say(wordsOf(error) ?? "Try again."));
    return h(
      "div",
      { class: "saves" },
      h("h2", {}, "Save"),
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", onclick: attempt(async () => save(`${name()}.svg`, await picture(), "image/svg+xml")) }, "SVG"),
        h("button", { type: "button", onclick: attempt(async () => save(`${name()}.png`, await png(await picture()), "image/png")) }, "PNG"),
        h("button", { type: "button", onclick: () => this.explained && save(`${name()}.json`, `${JSON.stringify(this.explained.explanation, null, 2)}\n`, "application/json") }, "JSON"),
        h(
          "button",
          {
            type: "button",
            onclick: attempt(async () => {
              const { value, bytes } = await this.page.engine.ask("source", { keys: this.keys });
              save(value.name, bytes, "application/octet-stream");
            }),
          },
          "Texels",
        ),
      ),
      h("p", { class: "hint" }, "The same on a command line, with the saved texels:"),
      this.command,
    );
  }

  private get keys(): Record<string, string> {
    return this.page.state.keys;
  }

  update(changed: Set<string>, from: unknown): void {
    if (changed.has("tex") || changed.has("own-name")) this.page.pictures.forget();
    const keys = { ...this.keys };
    const own = this.page.state.hasOwn;
    this.note.hidden = !own;
    this.note.textContent = own ? `${this.page.engine.ownName ?? "A file of your own"} is shown. Links leave it out: whoever opens one sees a built-in texture.` : "";
    if (from !== this.forms) this.forms.update(this.explained);
    this.latest.ask(() => this.page.engine.ask("explain", { keys }));
  }

  private source(): string {
    const of = ["tex", "op", "texel-format", "geometry", "size", "layers", "samples", "levels", "mipmaps", "read", "own-name"];
    return of.map((key) => this.keys[key] ?? "").join("|");
  }

  private show(value: Explained, ms: number): void {
    this.explained = value;
    this.ms = ms;
    this.element.dataset.ms = ms.toFixed(3);
    this.error.hidden = true;
    this.forms.fail(null);
    this.forms.update(value);
    if (document.activeElement !== this.ptx) {
      this.ptx.value = value.ptx;
      this.ptxError.textContent = "";
      this.ptx.removeAttribute("aria-invalid");
    }
    this.command.textContent = value.command;
    this.element.classList.toggle("is-surface", value.kind === "surface");
    if (value.kind === "fetch") {
      this.view.show({ texture: value.texture, explanation: value.explanation, exact: value.exact, source: { id: this.source(), keys: { ...this.keys } } });
    } else {
      fill(this.view.result, h("p", { class: "note" }, value.explanation.elements.map((e) => `0x${e}`).join(", ")));
      this.view.showAccess({ texture: value.texture, explanation: value.explanation, source: { id: this.source(), keys: { ...this.keys } } });
      this.bytes.ask(async () => (await this.page.engine.ask("svg", { keys: { ...this.keys } })).value.svg);
      fill(this.view.steps, surfaceSteps(value.explanation));
    }
    this.element.dataset.shown = value.op;
    clearTimeout(this.spoken);
    this.spoken = window.setTimeout(() => this.speak(), 700);
  }

  private speak(): void {
    const explained = this.explained;
    if (explained?.kind !== "fetch") return;
    const rows = [...this.view.result.querySelectorAll("tbody tr")].map((row) => `${row.children[0]?.textContent} ${row.children[1]?.textContent}`);
    this.live.textContent = `${explained.written.at}: ${rows.join(", ")}`;
  }

  private failed(error: unknown): void {
    const words = wordsOf(error);
    if (words === null) return;
    const known = error instanceof Refused && this.forms.fail(error.refusal);
    this.error.hidden = false;
    this.error.textContent = words;
    this.error.classList.toggle("at-field", !!known);
    if (!this.explained) this.forms.update(null);
  }

  /** The point was dragged: layer and sample stay. */
  private moved(to: number[]): void {
    const explained = this.explained;
    if (!explained) return;
    const geometry = this.page.words.geometries.find((g: Geometry) => g.name === explained.texture.geometry) ?? this.page.words.geometries[0];
    const op = this.page.words.geometries.find((g) => explained.op.includes(`.${g.name}.`)) ?? geometry;
    const before = explained.written.at.split(",");
    const elements = op.elements;
    const unit = explained.kind === "surface" && /^su(ld|st|red)\.b/.test(explained.op) ? explained.texture.texel_size : 1;
    const at = elements.map((element, n) => {
      const axis = DRAGGED.indexOf(element);
      const value = axis >= 0 ? to[axis] : undefined;
      if (value === undefined) return before[n] ?? "0";
      return String(axis === 0 ? value * unit : value);
    });
    this.page.state.set({ at: at.join(",") }, this.view);
  }

  redraw(): void {
    this.view.redraw();
    this.update(new Set(), null);
  }
}
