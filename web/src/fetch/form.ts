// The instruction, the texture and the sampler as forms, with the effective state of the sampler beside it.

import { h } from "../dom";
import type { Explained, Geometry, Refusal, Words } from "../protocol";
import type { State } from "../state";
import { rule } from "./steps";

const KINDS = ["tex", "tex.base", "tex.level", "tex.grad", "tld4.r", "tld4.g", "tld4.b", "tld4.a", "suld.b", "sust.b", "sust.p", "sured.b", "sured.p"];
const RESULTS = ["v4.f32", "v4.s32", "v4.u32", "v4.f16", "v2.f16x2"];
const SIZES = ["b8", "b16", "b32", "b64"];
const REDUCTIONS: Record<string, string[]> = {
  "sured.b": ["add.u32", "add.s32", "add.u64", "min.u32", "min.s32", "min.u64", "min.s64", "max.u32", "max.s32", "max.u64", "max.s64", "and.b32", "or.b32"],
  "sured.p": ["add.b32", "min.b32", "min.b64", "max.b32", "max.b64", "and.b32", "or.b32"],
};

/** An instruction's name, taken apart. */
export interface Parts {
  kind: string;
  geometry: string;
  result: string;
  coord: string;
  vector: string;
  size: string;
  reduction: string;
  clamp: string;
}

export function parts(op: string): Parts {
  const words = op.split(".");
  const usual: Parts = { kind: "tex", geometry: "2d", result: "v4.f32", coord: "f32", vector: "", size: "b32", reduction: "add.u32", clamp: "trap" };
  if (words[0] === "suld" || words[0] === "sust") {
    const kind = words.slice(0, 2).join(".");
    const rest = words.slice(3, -1);
    return { ...usual, kind, geometry: words[2], vector: rest.find((w) => w.startsWith("v")) ?? "", size: rest.find((w) => w.startsWith("b")) ?? "b32", clamp: words.at(-1) ?? "trap" };
  }
  if (words[0] === "sured") {
    return { ...usual, kind: words.slice(0, 2).join("."), reduction: `${words[2]}.${words[4]}`, geometry: words[3], clamp: words.at(-1) ?? "trap" };
  }
  const two = words[0] === "tld4" || ["base", "level", "grad"].includes(words[1]);
  const rest = words.slice(two ? 2 : 1);
  return { ...usual, kind: words.slice(0, two ? 2 : 1).join("."), geometry: rest[0], result: rest.slice(1, 3).join("."), coord: rest[3] };
}

export function joined(p: Parts): string {
  const vector = p.vector ? `.${p.vector}` : "";
  if (p.kind === "suld.b" || p.kind === "sust.b") return `${p.kind}.${p.geometry}${vector}.${p.size}.${p.clamp}`;
  if (p.kind === "sust.p") return `${p.kind}.${p.geometry}${vector}.b32.${p.clamp}`;
  if (p.kind.startsWith("sured")) {
    const [operation, type] = p.reduction.split(".");
    return `${p.kind}.${operation}.${p.geometry}.${type}.${p.clamp}`;
  }
  return `${p.kind}.${p.geometry}.${p.result}.${p.coord}`;
}

const isSurface = (kind: string) => kind.startsWith("su");

let counter = 0;

/** A field with its label. */
class Field {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement | HTMLSelectElement;
  readonly error: HTMLElement;

  constructor(label: string, input: HTMLInputElement | HTMLSelectElement, hint = "") {
    const id = `f${counter++}`;
    input.id = id;
    this.input = input;
    this.error = h("p", { class: "field-error", id: `${id}e`, hidden: true });
    input.setAttribute("aria-describedby", `${id}e`);
    this.element = h("div", { class: "field" }, h("label", { for: id }, label), input, hint ? h("p", { class: "hint" }, hint) : null, this.error);
  }

  set value(text: string) {
    if (this.input.type === "checkbox") (this.input as HTMLInputElement).checked = text !== "" && text !== "no";
    else if (document.activeElement !== this.input || this.input instanceof HTMLSelectElement) this.input.value = text;
  }

  fail(refusal: Refusal | null): void {
    this.error.hidden = !refusal;
    this.error.textContent = refusal ? refusal.message : "";
    this.input.toggleAttribute("aria-invalid", !!refusal);
  }
}

function select(options: string[], names: Record<string, string> = {}): HTMLSelectElement {
  return h("select", {}, options.map((value) => h("option", { value }, names[value] ?? (value || "–"))));
}

function text(placeholder = "", mode = "text"): HTMLInputElement {
  return h("input", { type: "text", placeholder, inputmode: mode, spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
}

export class Forms {
  readonly instruction: HTMLElement;
  readonly texture: HTMLElement;
  readonly sampler: HTMLElement;
  private readonly fields = new Map<string, Field>();
  private readonly acts = new Map<string, HTMLElement>();
  private readonly ofOp = new Map<keyof Parts, Field>();
  private readonly overrides = h("ul", { class: "overrides" });
  private op = "tex.2d.v4.f32.f32";
  private geometries: Map<string, Geometry>;

  constructor(
    private readonly state: State,
    words: Words,
    private readonly openFile: (file: File) => void,
  ) {
    this.geometries = new Map(words.geometries.map((g) => [g.name, g]));
    const geometries = words.geometries.map((g) => g.name);
    this.instruction = this.instructionForm(geometries);
    this.texture = this.textureForm(words, geometries);
    this.sampler = this.samplerForm(words);
  }

  /** A field of a key. */
  private key(key: string, label: string, input: HTMLInputElement | HTMLSelectElement, hint = ""): HTMLElement {
    const field = new Field(label, input, hint);
    const event = input instanceof HTMLSelectElement || input.type === "checkbox" ? "change" : "input";
    input.addEventListener(event, () => {
      const value = input.type === "checkbox" ? ((input as HTMLInputElement).checked ? "yes" : "") : input.value.trim();
      this.state.set({ [key]: value }, this);
    });
    this.fields.set(key, field);
    return field.element;
  }

  private part(name: keyof Parts, label: string, input: HTMLSelectElement): HTMLElement {
    const field = new Field(label, input);
    input.addEventListener("change", () => {
      const now = { ...parts(this.op), [name]: input.value };
      if (now.geometry.endsWith("ms")) now.coord = "s32";
      else if (name === "geometry" && parts(this.op).geometry.endsWith("ms")) now.coord = "f32";
      // Coordinates of another geometry, or of another kind, mean nothing: the middle stands for them.
      const again = ["geometry", "coord"].includes(name) || isSurface(now.kind) !== isSurface(parts(this.op).kind);
      const keys: Record<string, string> = { op: joined(now) };
      if (again) Object.assign(keys, { at: "", dpdx: "", dpdy: "", offset: "", lod: "" });
      this.state.set(keys, null);
    });
    this.ofOp.set(name, field);
    return field.element;
  }

  private instructionForm(geometries: string[]): HTMLElement {
    return h(
      "fieldset",
      { class: "panel" },
      h("legend", {}, "Instruction"),
      h(
        "div",
        { class: "grid" },
        this.part("kind", "Operation", select(KINDS)),
        this.part("geometry", "Geometry", select(geometries)),
        this.part("result", "Result", select(RESULTS)),
        this.part("coord", "Coordinates", select(["f32", "s32"])),
        this.part("vector", "Vector", select(["", "v2", "v4"])),
        this.part("size", "Element", select(SIZES)),
        this.part("reduction", "Reduction", select([...new Set([...REDUCTIONS["sured.b"], ...REDUCTIONS["sured.p"]])])),
        this.part("clamp", "Outside", select(["trap", "clamp", "zero"])),
      ),
      this.key("at", "Coordinates", text("", "text"), " "),
      h(
        "div",
        { class: "grid" },
        this.key("lod", "Level", text("0", "decimal")),
        this.key("dpdx", "dPdx", text("0,0")),
        this.key("dpdy", "dPdy", text("0,0")),
        this.key("offset", "Offset", text("none")),
        this.key("compare", "Compare with", text("none", "decimal")),
        this.key("value", "Value", text("0")),
      ),
    );
  }

  private textureForm(words: Words, geometries: string[]): HTMLElement {
    const names = Object.fromEntries(words.textures.map((t) => [t.name, `${t.name}: ${t.about}`]));
    const file = h("input", {
      type: "file",
      class: "visually-hidden",
      id: "file",
      accept: ".png,.jpg,.jpeg,.exr,.dds,.ktx2,.npy,.raw,.bin",
      onchange: () => {
        const chosen = file.files?.[0];
        if (chosen) this.openFile(chosen);
        file.value = "";
      },
    });
    const plain = words.formats.filter((f) => f.plain).map((f) => f.name);
    const blocks = words.formats.filter((f) => !f.plain).map((f) => f.name);
    return h(
      "fieldset",
      { class: "panel" },
      h("legend", {}, "Texture"),
      this.key("tex", "Texels", select([...words.textures.map((t) => t.name), "own"], { ...names, own: "a file of your own" })),
      h("p", { class: "file-row" }, file, h("label", { for: "file", class: "button" }, "Open a file…"), h("span", { class: "hint" }, "or drop PNG, JPEG, EXR, DDS, KTX2 or NPY on the page")),
      h(
        "div",
        { class: "grid" },
        this.key("geometry", "Geometry", select(["", ...geometries], { "": "automatic" })),
        this.key("texel-format", "Format", select(["", ...plain, ...blocks], { "": "its own" })),
        this.key("size", "Size", text("its own")),
        this.key("layers", "Layers", text("its own", "numeric")),
        this.key("samples", "Samples", text("its own", "numeric")),
        this.key("levels", "Levels", text("its own", "numeric")),
      ),
    );
  }

  /** A row of the sampler's table: what is requested, and what takes effect. */
  private row(key: string, label: string, input: HTMLInputElement | HTMLSelectElement): HTMLElement {
    const acts = h("output", { class: "acts" });
    this.acts.set(key, acts);
    return h("div", { class: "sampler-row" }, this.key(key, label, input), acts);
  }

  private samplerForm(words: Words): HTMLElement {
    const check = () => h("input", { type: "checkbox" });
    const body = h(
      "div",
      { class: "sampler-rows" },
      h("div", { class: "sampler-head", "aria-hidden": "true" }, h("span", {}, "requested"), h("span", {}, "effective")),
      this.row("filter", "Filter", select(["", ...words.filter], { "": "point" })),
      this.addresses(words),
      this.row("border", "Border colour", text("0,0,0,0")),
      this.row("mip-filter", "Mip filter", select(["", ...words.filter], { "": "point" })),
      this.row("min-level", "Smallest level", text("0", "decimal")),
      this.row("max-level", "Largest level", text("all", "decimal")),
      this.row("bias", "Level bias", text("0", "decimal")),
      this.row("anisotropy", "Anisotropy", text("1", "numeric")),
      this.row("unnormalized", "Unnormalized coordinates", check()),
      this.row("read", "Read as", select(["", ...words.read], { "": "usual" })),
      this.row("srgb", "sRGB", check()),
      this.row("seamless", "Seamless cube", check()),
      this.row("compare-func", "Compare function", select(["", ...words.compare], { "": "none" })),
    );
    return h("fieldset", { class: "panel" }, h("legend", {}, "Sampler"), body, this.overrides);
  }

  private readonly modes: HTMLSelectElement[] = [];

  private addresses(words: Words): HTMLElement {
    const row = h("div", { class: "addresses" });
    for (const [n, axis] of ["x", "y", "z"].entries()) {
      const input = select(n ? ["", ...words.address] : words.address, { "": "same" });
      const field = new Field(`Address ${axis}`, input);
      input.addEventListener("change", () => {
        const [x, y, z] = this.modes.map((mode) => mode.value);
        const list = z ? [x, y || x, z] : y ? [x, y] : [x];
        this.state.set({ address: list.length === 1 && x === "clamp" ? "" : list.join(",") }, this);
      });
      this.modes.push(input);
      const acts = h("output", { class: "acts" });
      this.acts.set(`address-${n}`, acts);
      row.append(h("div", { class: "sampler-row" }, field.element, acts));
      if (n === 0) this.fields.set("address", field);
    }
    return row;
  }

  /** Shows the keys, with the instruction and the operands that stand for what is left out. */
  update(explained: Explained | null): void {
    for (const [key, field] of this.fields) if (key !== "address") field.value = this.state.get(key);
    const [x = "clamp", y = "", z = ""] = this.state.get("address").split(",").map((mode) => mode.trim());
    this.modes[0].value = x || "clamp";
    this.modes[1].value = y === x ? "" : y;
    this.modes[2].value = z === (y || x) ? "" : z;
    const tex = this.fields.get("tex");
    if (tex) tex.value = this.state.get("tex") || "checker";
    if (!explained) return;
    this.op = explained.op;
    const now = parts(this.op);
    const surface = isSurface(now.kind);
    for (const [name, field] of this.ofOp) field.value = now[name];
    const show = (name: keyof Parts, shown: boolean) => this.ofOp.get(name)?.element.toggleAttribute("hidden", !shown);
    show("result", !surface);
    show("coord", !surface);
    show("vector", surface && !now.kind.startsWith("sured"));
    show("size", now.kind === "suld.b" || now.kind === "sust.b");
    show("reduction", now.kind.startsWith("sured"));
    show("clamp", surface);
    const { written } = explained;
    const fill = (key: string, value: string | null) => {
      const field = this.fields.get(key);
      field?.element.toggleAttribute("hidden", value === null);
      if (field && value !== null) field.value = this.state.get(key) || value;
    };
    fill("at", written.at);
    fill("lod", written.lod);
    fill("dpdx", written.dpdx);
    fill("dpdy", written.dpdy);
    fill("value", surface && now.kind !== "suld.b" ? (written.value ?? "0") : null);
    fill("offset", surface ? null : (written.offset ?? ""));
    fill("compare", surface ? null : (written.compare ?? ""));
    const geometry = this.geometries.get(now.geometry);
    const own = explained.texture.geometry;
    this.fields.get("layers")?.element.toggleAttribute("hidden", !own.startsWith("a"));
    this.fields.get("samples")?.element.toggleAttribute("hidden", !own.endsWith("ms"));
    const hint = this.fields.get("at")?.element.querySelector(".hint");
    if (hint && geometry) hint.textContent = geometry.elements.join(", ");
    this.effective(explained);
    this.sampler.toggleAttribute("disabled", surface);
  }

  private effective(explained: Explained): void {
    const say = (key: string, asked: string, acts: string | null) => {
      const output = this.acts.get(key);
      if (!output) return;
      output.textContent = acts ?? "no effect";
      output.classList.toggle("differs", acts !== null && asked !== acts);
      output.classList.toggle("none", acts === null);
    };
    if (explained.kind === "surface") {
      for (const output of this.acts.values()) output.textContent = "";
      this.overrides.replaceChildren();
      return;
    }
    const e = explained.explanation;
    const s = e.sampler;
    const get = (key: string, usual: string) => this.state.get(key) || usual;
    const gather = explained.op.startsWith("tld4");
    say("filter", get("filter", "point"), gather ? null : s.filter);
    say("mip-filter", get("mip-filter", "point"), s.mip_filter);
    const asked = this.state.get("address").split(",").map((mode) => mode.trim());
    for (const n of [0, 1, 2]) {
      const wanted = asked[Math.min(n, asked.length - 1)] || "clamp";
      say(`address-${n}`, wanted, s.address_mode?.[n] ?? null);
    }
    const usesBorder = s.address_mode?.some((mode) => mode === "border" || mode === "clamp_ogl");
    say("border", "", usesBorder ? "" : null);
    const mips = s.mip_filter !== null;
    const level = (n: number) => String(s.level_clamp[n] / 256);
    say("min-level", get("min-level", "0"), mips ? level(0) : null);
    say("max-level", get("max-level", level(1)), mips ? level(1) : null);
    say("bias", get("bias", "0"), mips && /^tex\.(level|grad)/.test(explained.op) ? get("bias", "0") : null);
    say("anisotropy", get("anisotropy", "1").replace(/^0$/, "1"), String(s.max_anisotropy));
    say("unnormalized", this.state.get("unnormalized") ? "unnormalized" : "normalized", s.coords);
    say("read", "", "");
    say("srgb", this.state.get("srgb") ? "yes" : "no", s.srgb ? "yes" : "no");
    say("seamless", this.state.get("seamless") ? "yes" : "no", explained.texture.geometry.endsWith("cube") ? (s.seamless_cube ? "yes" : "no") : null);
    say("compare-func", get("compare-func", "none"), s.compare ?? "none");
    this.overrides.replaceChildren(...e.overrides.map((one) => h("li", {}, rule(one.rule), " ", one.text)));
  }

  /** Marks the field that is to blame; says whether there is one. */
  fail(refusal: Refusal | null): boolean {
    for (const field of this.fields.values()) field.fail(null);
    if (!refusal?.key) return false;
    const field = this.fields.get(refusal.key);
    field?.fail(refusal);
    return !!field;
  }
}
