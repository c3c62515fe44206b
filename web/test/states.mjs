// Random states of the page, the same ones each time.

/** A small generator of numbers (mulberry32). */
export function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const AXES = { "1d": 1, "2d": 2, "3d": 3, a1d: 1, a2d: 2, cube: 3, acube: 3, "2dms": 2, a2dms: 2 };

/** Keys of a fetch or surface access that may or may not have an answer. */
export function state(next) {
  const pick = (list) => list[Math.floor(next() * list.length)];
  const maybe = (chance) => next() < chance;
  const number = (low, high, digits) => (low + (high - low) * next()).toFixed(digits);
  const geometry = pick(Object.keys(AXES));
  const axes = AXES[geometry];
  const ms = geometry.endsWith("ms");
  const cube = geometry.endsWith("cube");
  const keys = { tex: pick(["gradient", "checker", "glyph", "ramp", "volume", "cube", "layers", "mips", "depth", "samples"]) };
  if (!maybe(0.3)) keys.size = cube ? String(pick([1, 4, 7, 16])) : Array.from({ length: Math.min(axes, 3) }, () => pick([1, 2, 5, 8, 16, 33])).join(",");
  if (cube && keys.size) keys.size = `${keys.size},${keys.size}`;
  keys.geometry = geometry;
  keys["texel-format"] = pick(["u8x4", "u8", "s8x2", "u16", "s16x4", "f16x4", "f32", "f32x4", "u32x2"]);
  if (maybe(0.4) && !ms) keys.levels = String(pick([1, 2, 3]));
  if (!keys.levels && keys.tex === "mips") keys.levels = "1";
  const surface = !cube && !ms && maybe(0.12);
  const index = { a1d: ["1"], a2d: ["2"], acube: ["1"], "2dms": ["1"], a2dms: ["2", "1"] }[geometry] ?? [];
  if (surface) {
    keys["texel-format"] = "u8x4";
    keys.op = pick([`suld.b.${geometry}.b32.clamp`, `suld.b.${geometry}.v2.b16.zero`, `sust.b.${geometry}.b32.trap`, `sust.p.${geometry}.v4.b32.clamp`]);
    keys.at = [...index, ...Array.from({ length: axes }, (_, n) => String(Math.floor(next() * 6 - 1) * (n ? 1 : 4)))].join(",");
    keys.value = "17";
    delete keys.levels;
    if (keys.tex === "mips") keys.levels = "1";
    return keys;
  }
  const integers = ms || (!cube && maybe(0.12));
  const format = keys["texel-format"];
  const result = /^u32/.test(format) ? "v4.u32" : pick(["v4.f32", "v4.f32", "v4.f32", "v4.f16", "v2.f16x2"]);
  const gather = ["2d", "a2d", "cube", "acube"].includes(geometry) && !integers && !/f16/.test(result) && maybe(0.15);
  const lod = gather || ms ? "" : pick(integers ? ["", ".base", ".level"] : ["", "", ".base", ".level", ".level", ".grad"]);
  keys.op = gather ? `tld4.${pick(["r", "g", "b", "a"])}.${geometry}.${result}.f32` : `tex${lod}.${geometry}.${result}.${integers ? "s32" : "f32"}`;
  const coordinate = () => (integers ? String(Math.floor(next() * 12 - 2)) : pick([number(-0.5, 1.5, 4), number(-0.5, 1.5, 4), number(-2, 2, 6), "bits:7fc00000"]));
  keys.at = [...index, ...Array.from({ length: axes }, coordinate)].join(",");
  if (lod === ".level") keys.lod = integers ? String(Math.floor(next() * 3)) : number(-1, 4, 3);
  if (lod === ".grad") {
    const gradient = () => Array.from({ length: axes }, () => number(-0.4, 0.4, 3)).join(",");
    keys.dpdx = gradient();
    keys.dpdy = gradient();
  }
  if (!cube && maybe(0.2)) keys.offset = Array.from({ length: axes }, () => String(Math.floor(next() * 9 - 4))).join(",");
  if (maybe(0.7) && result !== "v4.u32") keys.filter = pick(["point", "linear", "linear"]);
  if (maybe(0.4)) keys["mip-filter"] = pick(["point", "linear"]);
  if (maybe(0.8)) keys.address = Array.from({ length: 1 + Math.floor(next() * 3) }, () => pick(["wrap", "mirror", "clamp", "border"])).join(",");
  if (maybe(0.3)) keys.border = "0.25,0.5,0.75,1";
  if (maybe(0.2)) keys["min-level"] = number(0, 2, 2);
  if (maybe(0.2)) keys["max-level"] = number(0, 3, 2);
  if (maybe(0.2)) keys.bias = number(-1, 1, 3);
  if (maybe(0.3)) keys.anisotropy = pick(["2", "4", "8", "16"]);
  if (maybe(0.15)) keys.unnormalized = "yes";
  if (maybe(0.15) && format === "u8x4") keys.srgb = "yes";
  if (cube && maybe(0.5)) keys.seamless = "yes";
  if (geometry !== "3d" && !ms && !integers && keys.tex === "depth" && format === "f32" && maybe(0.7)) {
    keys.compare = number(0, 1, 3);
    keys["compare-func"] = pick(["less", "less_equal", "greater", "always"]);
  }
  return keys;
}
