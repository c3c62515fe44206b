// The texels around a footprint, with their weights.

import { f32, h, s, short } from "../dom";
import type { FetchExplanation, Footprint, Texel, TextureInfo } from "../protocol";
import { FACES } from "./cube";
import { colourOf, inkOn, type Picture } from "./pictures";

const CELL = 76;
const AXIS = 26;
const GATHER = ["x", "y", "z", "w"];

export interface Lensed {
  texture: TextureInfo;
  explanation: FetchExplanation;
  footprint: Footprint;
  /** Of the footprint's level, plane and slices. */
  pictures: (Picture | null)[];
}

/** Whether texels are summed with weights. */
function isWeighted(e: FetchExplanation, f: Footprint): boolean {
  return !e.instruction.startsWith("tld4") && (f.texels.length > 1 || f.axes.some((a) => a.upper !== 0 || a.exact !== 0));
}

/** The colour of a texel from its values: of the border colour and of other faces. */
function own(texel: Texel, channels: number): string {
  const byte = (hex: string) => Math.round(Math.min(1, Math.max(0, f32(hex) || 0)) * 255);
  const [r, g, b] = texel.values.map(byte);
  return channels === 1 ? `rgb(${r},${r},${r})` : `rgb(${r},${g},${b})`;
}

function channelsOf(format: string): number {
  const found = format.match(/x([124])/);
  return found ? Number(found[1]) : /^(bc|rgb)/.test(format) ? 4 : 1;
}

/** The title of a footprint: level, face, layer, slice, share, tap. */
export function title(texture: TextureInfo, f: Footprint): string {
  const size = f.extent.slice(0, texture.axes).join(" × ");
  let text = `Level ${f.level} of ${size} texel${size === "1" ? "" : "s"}`;
  if (texture.geometry.endsWith("cube")) text += `, face ${FACES[f.plane % 6]}`;
  else if (texture.geometry.startsWith("a")) text += `, layer ${f.plane}`;
  if (texture.geometry.endsWith("ms")) text += `, sample ${f.sample}`;
  if (f.share !== 256) text += `, share ${f.share}/256`;
  if (f.tap_weight !== 1024) text += `, tap ${f.tap} of weight ${f.tap_weight}/1024`;
  return text;
}

function cellText(lensed: Lensed, texel: Texel, n: number, ink: string, x: number, y: number): SVGElement[] {
  const { explanation, footprint } = lensed;
  const line = (dy: number, text: string, cls: string) =>
    s("text", { x: x + CELL / 2, y: y + dy, "text-anchor": "middle", class: cls, fill: ink }, text);
  // Away from the sample point, if it is in this texel.
  const at = footprint.axes.slice(0, 2).map((axis, k) => axis.texels - texel.index[k]);
  const hit = at.every((v) => v >= 0 && v < 1);
  const below = hit && footprint.axes.length > 1 && at[1] < 0.55;
  if (explanation.instruction.startsWith("tld4")) return [line(!hit ? CELL / 2 + 9 : below ? 68 : 28, GATHER[n % 4], "order")];
  if (!isWeighted(explanation, footprint)) return [line(!hit ? CELL / 2 + 5 : below ? 66 : 19, "read", "weight")];
  const top = below ? 57 : 19;
  const lines = [line(top, `${texel.weight}/256`, "weight"), line(top + 14, (texel.exact * 256).toFixed(2), "exact")];
  if (texel.compared !== null) lines.push(line(below ? 19 : 66, texel.compared ? "passes" : "fails", "exact"));
  return lines;
}

/** One slice of the neighbourhood. */
function slice(lensed: Lensed, z: number, left: number): { parts: SVGElement[]; width: number; height: number } {
  const { footprint: f, texture, explanation } = lensed;
  const rows = texture.axes > 1;
  const picture = lensed.pictures[z];
  const x0 = (f.axes[0]?.index ?? 0) - 1;
  const y0 = rows ? (f.axes[1]?.index ?? 0) - 1 : 0;
  const columns = 4;
  const lines = rows ? 4 : 1;
  const at = (i: number, j: number): [number, number] => [left + AXIS + i * CELL, AXIS + j * CELL];
  const parts: SVGElement[] = [];
  const read = f.texels.map((texel, n) => ({ texel, n })).filter(({ texel }) => texel.corner[2] === z);
  for (let j = 0; j < lines; j++) {
    for (let i = 0; i < columns; i++) {
      const [x, y] = at(i, j);
      const found = read.find(({ texel }) => texel.index[0] === x0 + i && (!rows || texel.index[1] === y0 + j));
      const inside = picture ? colourOf(picture, x0 + i, rows ? y0 + j : 0) : null;
      let fill = inside ?? "url(#outside)";
      if (found && !inside) {
        const place = found.texel.at;
        const there = place && picture && place.plane === f.plane ? colourOf(picture, place.at[0], place.at[1]) : null;
        fill = there ?? own(found.texel, channelsOf(texture.format));
      }
      parts.push(s("rect", { x, y, width: CELL, height: CELL, fill, class: found ? "lens-cell read" : "lens-cell", opacity: found || !inside ? 1 : 0.55 }));
      if (found) {
        const ink = fill.startsWith("rgb") ? inkOn(fill) : "currentColor";
        parts.push(...cellText(lensed, found.texel, found.n, ink, x, y));
        if (!found.texel.resident) parts.push(s("text", { x: x + 4, y: y + 14, class: "exact", fill: ink }, "not resident"));
      }
    }
  }
  // Thick lines where the level ends.
  const [ex, ey] = f.extent;
  const edge = (x1: number, y1: number, x2: number, y2: number) => parts.push(s("line", { x1, y1, x2, y2, class: "level-edge" }));
  for (const end of [0, ex]) {
    if (end >= x0 && end <= x0 + columns) edge(at(end - x0, 0)[0], AXIS, at(end - x0, 0)[0], AXIS + lines * CELL);
  }
  if (rows) {
    for (const end of [0, ey]) {
      if (end >= y0 && end <= y0 + lines) edge(left + AXIS, at(0, end - y0)[1], left + AXIS + columns * CELL, at(0, end - y0)[1]);
    }
  }
  for (const { texel } of read) {
    const [x, y] = at(texel.index[0] - x0, rows ? texel.index[1] - y0 : 0);
    parts.push(s("rect", { x: x + 1.5, y: y + 1.5, width: CELL - 3, height: CELL - 3, class: "lens-frame" }));
  }
  for (let i = 0; i < columns; i++) parts.push(s("text", { x: at(i, 0)[0] + CELL / 2, y: AXIS - 8, "text-anchor": "middle", class: "tick" }, String(x0 + i)));
  for (let j = 0; j < (rows ? lines : 0); j++) parts.push(s("text", { x: left + AXIS - 8, y: at(0, j)[1] + CELL / 2 + 4, "text-anchor": "end", class: "tick" }, String(y0 + j)));
  const integer = explanation.sampler.coords === "integer" ? 0.5 : 0;
  const px = (f.axes[0]?.texels ?? 0) + integer - x0;
  const py = rows ? (f.axes[1]?.texels ?? 0) + integer - y0 : 0.5;
  if (px >= 0 && px <= columns && py >= 0 && py <= lines) {
    const [cx, cy] = at(px, py);
    parts.push(s("circle", { cx, cy, r: 6.5, class: "point-halo" }), s("circle", { cx, cy, r: 6.5, class: "point" }));
  }
  if (f.axes.length === 3) {
    const name = `slice ${f.axes[2].index + z}`;
    parts.push(s("text", { x: left + AXIS + (columns * CELL) / 2, y: AXIS + lines * CELL + 18, "text-anchor": "middle", class: "tick" }, name));
  }
  return { parts, width: AXIS + columns * CELL + 4, height: AXIS + lines * CELL + (f.axes.length === 3 ? 26 : 4) };
}

/** In words, for readers who cannot see it. */
function words(lensed: Lensed): string {
  const { footprint: f, explanation: e, texture } = lensed;
  const weighted = isWeighted(e, f);
  const one = (texel: Texel, n: number) => {
    const index = texel.index.slice(0, texture.axes).join(", ");
    if (e.instruction.startsWith("tld4")) return `${GATHER[n % 4]} is texel (${index})`;
    return weighted ? `texel (${index}) weighs ${texel.weight} of 256` : `texel (${index}) is read`;
  };
  return `${title(texture, f)}: ${f.texels.map(one).join("; ")}`;
}

export function lens(lensed: Lensed): HTMLElement {
  const { footprint } = lensed;
  const slices = footprint.axes.length === 3 ? [...new Set(footprint.texels.map((t) => t.corner[2]))].sort() : [0];
  let left = 0;
  let height = 0;
  const parts: SVGElement[] = [];
  for (const z of slices.length ? slices : [0]) {
    const drawn = slice(lensed, z, left);
    parts.push(...drawn.parts);
    left += drawn.width + 10;
    height = Math.max(height, drawn.height);
  }
  const pattern = s(
    "defs",
    {},
    s(
      "pattern",
      { id: "outside", width: 8, height: 8, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      s("rect", { width: 8, height: 8, class: "outside-ground" }),
      s("line", { x1: 0, y1: 0, x2: 0, y2: 8, class: "outside-line" }),
    ),
  );
  const picture = s("svg", { viewBox: `0 0 ${left - 10} ${height}`, class: "lens", role: "img", "aria-label": words(lensed) }, pattern, parts);
  (picture as unknown as HTMLElement).style.maxWidth = `${left - 10}px`;
  return h("div", { class: "lens-box" }, picture as unknown as HTMLElement, bars(lensed));
}

/** The weight of the upper texel along each axis: what the hardware takes, and what it would be without rounding. */
function bars(lensed: Lensed): HTMLElement | null {
  const { footprint: f, explanation: e } = lensed;
  if (!isWeighted(e, f)) return null;
  const names = ["x", "y", "z"];
  const bar = (n: number) => {
    const axis = f.axes[n];
    const width = 256;
    const exact = Math.min(1, Math.max(0, axis.exact)) * width;
    return h(
      "div",
      { class: "bar" },
      h("span", { class: "bar-name" }, names[n]),
      s(
        "svg",
        { viewBox: `-1 0 ${width + 2} 18`, class: "bar-picture", role: "img", "aria-label": `weight of the upper texel along ${names[n]}: ${axis.upper} of 256, without rounding ${(axis.exact * 256).toFixed(3)}` },
        s("rect", { x: 0, y: 2, width, height: 14, class: "bar-ground" }),
        s("rect", { x: 0, y: 2, width: (axis.upper / 256) * width, height: 7, class: "bar-hardware" }),
        s("rect", { x: 0, y: 9, width: exact, height: 7, class: "bar-exact" }),
      ) as unknown as HTMLElement,
      h("span", { class: "bar-text" }, `${axis.upper}/256 `, h("span", { class: "exactly" }, `(${(axis.exact * 256).toFixed(3)})`)),
    );
  };
  return h("div", { class: "bars" }, f.axes.map((_, n) => bar(n)));
}

export { channelsOf, short };
