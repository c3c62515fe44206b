// The view "TXD": a Maxwell word as bits, fields and text, and what it fetches.

import { fill, h } from "./dom";
import { Editor } from "./editor";
import { Latest, Refused } from "./engine";
import { FetchView } from "./fetch/show";
import { packed, unpacked } from "./pack";
import type { Executed, Field, TxdAsked, TxdWord } from "./protocol";
import { type Page, type View, wordsOf } from "./view";

const WORD = "0xde381051a0870400";
const STATE = `# A 2D texture of 4 x 4 texels, fetched by four lanes.
active = [0, 1, 2, 3]

[registers]
R4 = [0.125, 0.375, 0.5, 0.875]  # s
R5 = 0.375                       # t
R8 = 0.25                        # dsdx
R9 = 0.0                         # dsdy
R10 = 0.0                        # dtdx
R11 = 0.25                       # dtdy

[constants]
0x105 = { header = 2, sampler = 1 }

[[texture]]
index = 2
type = "2D"
format = "f32x2"
width = 4
height = 4
address = 0x200000
block_height = 2
sources = ["R", "G", "zero", "one_float"]
texels = { ramp = [0, 1] }

[[sampler]]
index = 1
filter_mode = "linear"
address_mode = ["wrap", "clamp"]
`;

export class TxdPage implements View {
  readonly element: HTMLElement;
  private readonly arch: HTMLSelectElement;
  private readonly word = h("input", { type: "text", id: "word", class: "mono", spellcheck: "false", autocomplete: "off" });
  private readonly control = h("input", { type: "text", id: "control", class: "mono", spellcheck: "false", autocomplete: "off" });
  private readonly text = h("input", { type: "text", id: "txd-text", class: "mono", spellcheck: "false", autocomplete: "off" });
  private readonly isa = h("code", { class: "isa" });
  private readonly error = h("p", { class: "problem", role: "alert", hidden: true });
  private readonly found = h("ul", { class: "problems" });
  private readonly bits = h("div", { class: "bits-box" });
  private readonly fields = h("div", { class: "fields-box" });
  private readonly statePlace = h("div", { class: "editor job" });
  private readonly state: Editor;
  private readonly stateError = h("p", { class: "problem", role: "status", hidden: true });
  private readonly registers = h("div", { class: "registers" });
  private readonly lane = h("select", { id: "lane" });
  private readonly detail = h("div", { class: "txd-fetch" });
  private readonly view: FetchView;
  private readonly latest: Latest<TxdWord>;
  private readonly executing: Latest<Executed>;
  private now: TxdWord | null = null;
  private timer = 0;
  private loaded: string | null = null;

  constructor(private readonly page: Page) {
    this.view = new FetchView(page.pictures, null);
    this.arch = h("select", { id: "arch" }, page.words.archs.map((name) => h("option", { value: name }, name)));
    this.state = new Editor(this.statePlace, "State file", "toml");
    this.latest = new Latest(
      (word) => this.show(word),
      (error) => this.failed(error),
    );
    this.executing = new Latest(
      (executed) => this.executed(executed),
      (error) => {
        const words = wordsOf(error);
        if (words === null) return;
        const line = error instanceof Refused ? (error.more.line as number | null) : null;
        this.stateError.hidden = false;
        this.stateError.textContent = line ? `line ${line}: ${words}` : words;
        if (line) this.state.mark(line, "fault-line");
        fill(this.registers);
        fill(this.detail);
      },
    );
    this.arch.addEventListener("change", () => page.state.set({ arch: this.arch.value }));
    this.word.addEventListener("input", () => this.ask({ word: this.word.value, control: this.control.value }));
    this.control.addEventListener("input", () => this.ask({ word: this.word.value, control: this.control.value }));
    this.text.addEventListener("input", () => this.ask({ text: this.text.value }));
    this.lane.addEventListener("change", () => page.state.set({ lane: this.lane.value === "0" ? "" : this.lane.value }));
    this.state.onChange(() => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(async () => {
        const text = this.state.text;
        const now = text === STATE ? "" : await packed(text);
        this.loaded = now;
        page.state.set({ state: now }, this);
        this.execute();
      }, 300);
    });
    this.element = h(
      "div",
      { class: "txd" },
      h("p", { class: "lead" }, "TXD is the texture fetch with derivatives of Maxwell and Pascal: tex.grad of PTX becomes this word. Bits, fields and text follow one another."),
      h(
        "div",
        { class: "txd-top" },
        h("div", { class: "field grow" }, h("label", { for: "txd-text" }, "Text"), this.text),
        h("div", { class: "field" }, h("label", { for: "word" }, "Word"), this.word),
        h("div", { class: "field" }, h("label", { for: "control" }, "Control"), this.control),
        h("div", { class: "field" }, h("label", { for: "arch" }, "Architecture"), this.arch),
      ),
      this.isa,
      this.error,
      this.found,
      h("h2", {}, "Bits"),
      this.bits,
      h("h2", {}, "Fields"),
      this.fields,
      h("h2", {}, "What it fetches"),
      h(
        "div",
        { class: "txd-columns" },
        h("div", {}, h("p", { class: "hint" }, "Registers, headers, samplers and memory of a warp; ", h("a", { href: "guide/sass.html", target: "_blank", rel: "noopener" }, "every key"), "."), this.statePlace, this.stateError),
        h("div", {}, this.registers, h("div", { class: "field lane" }, h("label", { for: "lane" }, "Lane"), this.lane), this.detail),
      ),
    );
  }

  private asked(): TxdAsked {
    const { state } = this.page;
    return { arch: state.get("arch") || "sm_52", word: state.get("word") || WORD, control: state.get("control") || "0x7e0" };
  }

  private ask(of: Partial<TxdAsked>): void {
    const arch = this.page.state.get("arch") || "sm_52";
    this.latest.ask(async () => (await this.page.engine.ask("txd", { arch, ...of })).value);
  }

  update(_changed: Set<string>, from: unknown): void {
    this.arch.value = this.page.state.get("arch") || "sm_52";
    if (from === this) return;
    void this.loadState().then(() => this.ask(this.asked()));
  }

  private async loadState(): Promise<void> {
    const given = this.page.state.get("state");
    if (given === this.loaded) return;
    this.loaded = given;
    this.state.text = (given && (await unpacked(given))) || STATE;
  }

  private show(word: TxdWord): void {
    this.now = word;
    this.error.hidden = true;
    for (const [input, value] of [[this.word, word.word], [this.control, word.control], [this.text, word.text ?? word.other ?? ""]] as const) {
      input.removeAttribute("aria-invalid");
      if (document.activeElement !== input) input.value = value;
    }
    this.isa.textContent = word.isa ?? (word.other ? "another instruction of the texture unit: its fields are not those below" : "not a valid TXD");
    fill(this.found, word.diagnostics.map((one) => h("li", { class: one.severity }, `${one.code ? `${one.code}: ` : ""}${one.message}${one.help ? ` (${one.help})` : ""}`)));
    this.showBits(word);
    this.showFields(word);
    const usual = word.word === WORD && Number(word.control) === 0x7e0;
    this.page.state.set({ word: usual ? "" : word.word, control: Number(word.control) === 0x7e0 ? "" : word.control }, this);
    this.execute();
  }

  private failed(error: unknown): void {
    const words = wordsOf(error);
    if (words === null) return;
    this.error.hidden = false;
    this.error.textContent = words;
    const key = error instanceof Refused ? error.refusal.key : null;
    const input = key === "text" ? this.text : key === "control" ? this.control : this.word;
    input.setAttribute("aria-invalid", "true");
  }

  private set(name: string, value: number): void {
    const now = this.now;
    if (now) this.ask({ word: now.word, control: now.control, fields: { [name]: value } });
  }

  /** 64 bits, in four rows of sixteen; those of a field have its colour. */
  private showBits(word: TxdWord): void {
    const value = BigInt(word.word);
    const of = (bit: number) => word.fields.findIndex((field) => bit >= field.low && bit < field.low + field.width);
    const rows = [];
    for (let high = 63; high >= 0; high -= 16) {
      const cells = [];
      for (let bit = high; bit > high - 16; bit--) {
        const n = of(bit);
        const field = word.fields[n];
        const set = (value >> BigInt(bit)) & 1n;
        const button = h(
          "button",
          { type: "button", class: `bit hue-${n % 6}`, "data-bit": bit, "aria-pressed": String(set === 1n), title: `bit ${bit}: ${field?.name ?? "?"}`, "aria-label": `${set}: bit ${bit}, ${field?.name ?? "no field"}` },
          String(set),
        );
        button.addEventListener("click", () => {
          const next = value ^ (1n << BigInt(bit));
          this.ask({ word: `0x${next.toString(16).padStart(16, "0")}`, control: word.control });
        });
        cells.push(button);
      }
      rows.push(h("div", { class: "bit-row" }, h("span", { class: "bit-number", "aria-hidden": "true" }, String(high)), cells, h("span", { class: "bit-number", "aria-hidden": "true" }, String(high - 15))));
    }
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.bit : undefined;
    fill(this.bits, rows);
    if (focused) this.bits.querySelector<HTMLElement>(`[data-bit="${focused}"]`)?.focus();
  }

  private input(field: Field): HTMLElement {
    const label = `${field.name}: ${field.meaning}`;
    if (field.kind === "opcode") return h("code", {}, field.shown);
    if (field.kind === "flag") {
      const input = h("input", { type: "checkbox", "aria-label": label, "data-field": field.name });
      input.checked = field.value === 1;
      input.addEventListener("change", () => this.set(field.name, input.checked ? 1 : 0));
      return input;
    }
    if (field.names) {
      const input = h("select", { "aria-label": label, "data-field": field.name }, field.names.map((name, n) => h("option", { value: n }, name)));
      input.value = String(field.value);
      input.addEventListener("change", () => this.set(field.name, Number(input.value)));
      return input;
    }
    const input = h("input", { type: "text", class: "mono", "aria-label": label, "data-field": field.name, value: field.shown, size: 7 });
    input.addEventListener("change", () => {
      const text = input.value.trim().toUpperCase();
      const value = text === "RZ" ? 255 : text === "PT" ? 7 : Number(text.replace(/^[RP](?=\d)/, "").replace(/^0X/, "0x"));
      const right = Number.isInteger(value) && value >= 0 && value <= field.max;
      input.toggleAttribute("aria-invalid", !right);
      if (right) this.set(field.name, value);
    });
    return input;
  }

  private showFields(word: TxdWord): void {
    const row = (field: Field, n: number, where: string) =>
      h(
        "tr",
        {},
        h("td", { class: "mono" }, where, field.width === 1 ? String(field.low) : `${field.low + field.width - 1}:${field.low}`),
        h("th", { scope: "row" }, h("span", { class: `dot hue-${n % 6}` }), field.name),
        h("td", {}, this.input(field)),
        h("td", { class: "meaning" }, field.meaning),
      );
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.field : undefined;
    fill(
      this.fields,
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "group", "aria-label": "Fields" },
        h(
          "table",
          { class: "fields" },
          h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "bits"), h("th", { scope: "col" }, "field"), h("th", { scope: "col" }, "value"), h("th", { scope: "col" }, "meaning"))),
          h("tbody", {}, word.fields.map((field, n) => row(field, n, "")), word.control_fields.map((field) => row(field, 6, "control "))),
        ),
      ),
    );
    if (focused) this.fields.querySelector<HTMLElement>(`[data-field="${focused}"]`)?.focus();
  }

  private execute(): void {
    const now = this.now;
    if (!now?.is_txd) {
      fill(this.registers, h("p", { class: "note" }, "Only a TXD is executed."));
      return fill(this.detail);
    }
    const asked = { arch: this.page.state.get("arch") || "sm_52", word: now.word, control: now.control };
    const lane = Number(this.page.state.get("lane")) || 0;
    const state = this.state.text;
    this.executing.ask(async () => (await this.page.engine.ask("execute", { ...asked, state, lane })).value);
  }

  private executed(executed: Executed): void {
    this.stateError.hidden = true;
    this.state.mark(null);
    const lanes = executed.lanes;
    const lane = Number(this.page.state.get("lane")) || 0;
    fill(this.lane, lanes.map((n) => h("option", { value: n }, String(n))));
    this.lane.value = String(lane);
    const cell = (name: string, n: number) => {
      const found = executed.registers.find((register) => register.name === name)?.lanes.find((one) => one.lane === n);
      return h("td", { class: "number" }, found ? found.value : "", found ? h("span", { class: "bits" }, ` ${found.bits}`) : null);
    };
    fill(
      this.registers,
      executed.registers.length
        ? h(
            "div",
            { class: "scroll", tabindex: 0, role: "group", "aria-label": "Registers" },
            h(
              "table",
              { class: "texels" },
              h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "lane"), executed.registers.map((register) => h("th", { scope: "col" }, register.name)))),
              h("tbody", {}, lanes.slice(0, 32).map((n) => h("tr", { class: n === lane ? "chosen" : "" }, h("th", { scope: "row" }, String(n)), executed.registers.map((register) => cell(register.name, n))))),
            ),
          )
        : h("p", { class: "note" }, "No register is written."),
      executed.predicate ? h("p", { class: "note" }, `${executed.predicate.name}: 0x${executed.predicate.lanes}`) : null,
      executed.invalid.length ? h("p", { class: "wrong" }, `Zeros, because the texture is invalid or of another type: lanes ${executed.invalid.join(", ")}`) : null,
      executed.missing.length ? h("p", { class: "wrong" }, `A tile is not resident: lanes ${executed.missing.join(", ")}`) : null,
    );
    const explained = executed.explained;
    if (!explained) return fill(this.detail, h("p", { class: "note" }, "This lane fetches nothing."));
    this.page.pictures.forget();
    this.view.show({ texture: explained.texture, explanation: explained.explanation, exact: null, source: { id: `txd|${Math.random()}`, subject: explained.subject } });
    fill(this.detail, h("p", { class: "hint" }, `Header ${explained.header}, sampler ${explained.sampler}: ${explained.explanation.instruction}`), this.view.picture, this.view.levels, this.view.result, this.view.lensBox, this.view.steps);
  }

  redraw(): void {
    this.view.redraw();
    this.update(new Set(), null);
  }
}
