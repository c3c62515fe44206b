// What a fetch does, step by step, each with its rule.

import { f32, h, short } from "../dom";
import type { FetchExplanation, Footprint, Step, SurfaceExplanation, TextureInfo } from "../protocol";
import { FACES } from "./cube";
import { title } from "./lens";

/** The guide is beside the page. */
export function rule(number: string): HTMLElement {
  const name = number.split(" ")[0];
  return h("a", { class: "rule", href: `guide/numerics.html#rule-${name}`, target: "_blank", rel: "noopener", title: `Rule ${number}` }, number);
}

function step(one: Step): HTMLElement {
  return h("li", {}, rule(one.rule), h("span", {}, one.text));
}

function section(name: string, items: (HTMLElement | null)[]): HTMLElement | null {
  const there = items.filter((item): item is HTMLElement => item !== null);
  return there.length ? h("section", {}, h("h3", {}, name), h("ol", { class: "steps" }, there)) : null;
}

function axis(e: FetchExplanation, f: Footprint, n: number): HTMLElement {
  const a = f.axes[n];
  const name = ["x", "y", "z"][n];
  if (a.mode === null) return h("li", {}, rule("1.9"), h("span", {}, `${name}: texel ${a.index}`));
  const value = short(f32(a.coordinate));
  const at = `${name}: ${value} → ${a.texels}`;
  const gather = e.instruction.startsWith("tld4");
  const number = gather ? "8.2" : e.sampler.filter === "point" ? "1.5" : "1.6";
  let text = at;
  if (gather) text += `; texels ${a.index} and ${a.index + 1}`;
  else if (e.sampler.filter === "point") text += `; texel ${a.index}`;
  else text += `; texels ${a.index} and ${a.index + 1}, upper weight ${a.upper}/256`;
  return h("li", {}, rule(number), h("span", {}, text, e.sampler.seamless_cube ? "" : `, ${a.mode}`));
}

function texels(e: FetchExplanation, f: Footprint, texture: TextureInfo): HTMLElement {
  const axes = texture.axes;
  const gather = e.instruction.startsWith("tld4");
  const rows = f.texels.map((texel, n) => {
    const index = texel.index.slice(0, axes).join(", ");
    const there = texel.at ? texel.at.at.slice(0, axes).join(", ") : null;
    const moved = there === null ? "border" : there !== index || texel.at?.plane !== f.plane;
    const where = moved === true && texel.at ? `→ (${there})${texel.at.plane !== f.plane ? ` on ${FACES[texel.at.plane % 6]}` : ""}` : moved === "border" ? "outside" : "";
    return h(
      "tr",
      {},
      h("td", {}, gather ? `${"xyzw"[n % 4]}: ` : "", `(${index}) ${where}`),
      gather ? null : h("td", {}, `${texel.weight}/256`),
      gather ? null : h("td", { class: "exactly" }, (texel.exact * 256).toFixed(3)),
      h("td", {}, texel.codes.map((code) => code.toString(16).padStart(2, "0")).join(" ")),
    );
  });
  return h(
    "div",
    { class: "scroll", tabindex: 0, role: "group", "aria-label": "Texels that are read" },
    h(
      "table",
      { class: "texels" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "texel"), gather ? null : h("th", { scope: "col" }, "weight"), gather ? null : h("th", { scope: "col" }, "exact"), h("th", { scope: "col" }, "codes"))),
      h("tbody", {}, rows),
    ),
  );
}

export function steps(e: FetchExplanation, texture: TextureInfo): HTMLElement {
  const cube = e.cube;
  const list = h(
    "div",
    { class: "all-steps" },
    section("Where the effective state differs", e.overrides.map(step)),
    cube
      ? section(`Face ${cube.face} (${cube.face_name})`, [
          step({ rule: "7.1", text: `the component of largest magnitude is ${cube.face_name}` }),
          step({ rule: "7.2", text: `sc = ${cube.sc}, tc = ${cube.tc}, ma = ${cube.ma}: s = ${short(f32(cube.s))}, t = ${short(f32(cube.t))}` }),
        ])
      : null,
    e.sampler.mip_filter !== null || e.level.steps.length > 1 ? section(`Level ${e.level.q / 256} (${e.level.q}/256)`, e.level.steps.map(step)) : null,
  );
  const most = 8;
  for (const f of e.footprints.slice(0, most)) {
    list.append(section(title(texture, f), f.axes.map((_, n) => axis(e, f, n))) ?? "", texels(e, f, texture));
  }
  if (e.footprints.length > most) list.append(h("p", { class: "note" }, `${e.footprints.length - most} footprints more are in the JSON.`));
  const sums = e.channels.flatMap((channel, n) => channel.steps.map((one) => step({ rule: one.rule, text: `${"xyzw"[n]}: ${one.text}` })));
  list.append(section("Result", sums) ?? "");
  return list;
}

/** The steps of a surface access. */
export function surfaceSteps(e: SurfaceExplanation): HTMLElement {
  const outcomes = {
    made: "the access is made",
    not_resident: "its tile is not in memory",
    dropped: "it is outside: loads give 0, stores are dropped",
    outside: "it is outside, and faults",
    misaligned: "x is not a multiple of the size, and it faults",
  };
  const rules = { made: "10", not_resident: "9.7", dropped: "10.4", outside: "10.2", misaligned: "10.1" };
  const place = e.place;
  return h(
    "div",
    { class: "all-steps" },
    section("Access", [
      step({ rule: "10", text: `at (${e.at.join(", ")}): byte ${e.byte_x} of the row, ${e.size} bytes, .${e.policy}` }),
      step({ rule: e.outcome === "made" && place?.moved ? "10.3" : rules[e.outcome], text: outcomes[e.outcome] }),
      place ? step({ rule: "10", text: `made at byte ${place.x} of row ${place.y}${place.z ? `, slice ${place.z}` : ""}, offset ${place.offset}${place.moved ? " (moved by .clamp)" : ""}` }) : null,
      e.fault ? h("li", { class: "wrong" }, h("span", {}, e.fault)) : null,
    ]),
    section("Bytes", [
      e.before !== null ? h("li", {}, h("span", {}, "before: "), h("code", {}, e.before)) : null,
      e.after !== null ? h("li", {}, h("span", {}, "after: "), h("code", {}, e.after)) : null,
      h("li", {}, h("span", {}, "elements: "), h("code", {}, e.elements.map((v) => `0x${v}`).join(", "))),
      e.codes ? h("li", {}, h("span", {}, "codes: "), h("code", {}, e.codes.join(", "))) : null,
    ]),
  );
}
