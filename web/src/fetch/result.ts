// The result of a fetch: a swatch, numbers, bits, and what weights without rounding would give.

import { f32, h, short } from "../dom";
import type { FetchExplanation } from "../protocol";

function half(code: number): number {
  const sign = code & 0x8000 ? -1 : 1;
  const exponent = (code >> 10) & 31;
  const fraction = code & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -14 * (fraction / 1024);
}

interface Component {
  name: string;
  bits: string;
  value: number;
}

/** The components of a result by the type of its registers. */
export function components(e: FetchExplanation): Component[] {
  const type = e.instruction.match(/\.(v4|v2)\.(\w+)\.\w+$/)?.[2] ?? "f32";
  if (type === "f16x2") {
    return e.result.flatMap((word, n) => {
      const bits = parseInt(word, 16);
      return [bits & 0xffff, bits >>> 16].map((code, k) => ({ name: "xyzw"[2 * n + k], bits: code.toString(16).padStart(4, "0"), value: half(code) }));
    });
  }
  return e.result.map((word, n) => {
    const bits = parseInt(word, 16);
    const value = type === "f32" ? f32(word) : type === "f16" ? half(bits) : type === "s32" ? bits | 0 : bits >>> 0;
    return { name: "xyzw"[n], bits: word, value };
  });
}

function css(values: number[], channels: number): string {
  const byte = (v: number) => Math.round(Math.min(1, Math.max(0, Number.isFinite(v) ? v : 0)) * 255);
  const [r, g, b] = values.map(byte);
  return channels === 1 ? `rgb(${r},${r},${r})` : `rgb(${r},${g},${b})`;
}

export function result(e: FetchExplanation, exact: (number | null)[] | null, channels: number): HTMLElement {
  const all = components(e);
  const isFloat = /\.(f32|f16|f16x2)\.\w+$/.test(e.instruction);
  const weighted = !e.instruction.startsWith("tld4") && isFloat && exact !== null;
  const rows = all.map(({ name, bits, value }, n) => {
    const other = weighted ? exact[n] : null;
    const differs = other !== null && other !== undefined && n < Math.max(channels, e.sampler.compare ? 1 : 0);
    const apart = differs ? (value - other) * 256 : 0;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", { class: "number" }, isFloat ? short(value) : String(value)),
      h("td", { class: "bits" }, bits),
      weighted ? h("td", { class: "exactly" }, differs ? other.toFixed(7) : "") : null,
      weighted ? h("td", { class: "apart" }, differs ? `${apart >= 0 ? "+" : "−"}${Math.abs(apart).toFixed(3)}` : "") : null,
    );
  });
  const values = all.map((component) => component.value);
  return h(
    "div",
    { class: "result" },
    isFloat
      ? h(
          "div",
          { class: "swatches", role: "img", "aria-label": "The result as a colour, beside that of exact weights" },
          h("div", { class: "swatch", style: `background:${css(values, channels)}` }, h("span", {}, "hardware")),
          weighted ? h("div", { class: "swatch", style: `background:${css(exact.map((v, n) => v ?? values[n]), channels)}` }, h("span", {}, "exact")) : null,
        )
      : null,
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": "Result" },
      h(
        "table",
        { class: "numbers" },
        h("thead", {}, h("tr", {}, h("td", {}), h("th", { scope: "col" }, "hardware"), h("th", { scope: "col" }, "bits"), weighted ? h("th", { scope: "col" }, "exact") : null, weighted ? h("th", { scope: "col", title: "hardware minus exact, in 1/256" }, "in 1/256") : null)),
        h("tbody", {}, rows),
      ),
    ),
    e.resident ? null : h("p", { class: "wrong" }, "Not all texels are resident: the predicate is false."),
    e.known && e.known.agrees === false ? h("p", { class: "wrong" }, "The kernel got another answer: its texels have changed since.") : null,
  );
}
