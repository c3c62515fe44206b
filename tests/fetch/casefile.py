"""Writes corner cases as TOML (see README.md), with answers from rules.py or by hand."""

import json
import os
import struct

import rules
from rules import Op, Texture, f, f16_bits, f32

BY_RULE = "computed in exact fractions from the text of the rules (rules.py)"
BY_HAND = "worked out by hand from the text of the rules"

DIGITS = {"u8": 2, "s8": 2, "u16": 4, "s16": 4, "f16": 4, "u32": 8, "s32": 8, "f32": 8, "unorm8": 2,
          "unorm16": 4, "snorm8": 2, "snorm16": 4, "rgb10a2": 8, "depth16": 4, "depth32f": 8}
COORDINATES = {"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3, "cube": 3, "acube": 4, "2dms": 3, "a2dms": 4}
AXES = {"1d": 1, "a1d": 1, "3d": 3}
NAN, QNAN, INF, NINF = 0x7FC00000, 0xFFC12345, 0x7F800000, 0xFF800000


class Spec:
    """A resource: texels as [codes of a level] in packed order, or a ramp, one texel, a value a level."""

    def __init__(self, format, geometry, size, texels=None, ramp=None, fill=None, by_level=None, layers=None, levels=None,
                 samples=None, layout=None, pitch=None, missing=None, view=None):
        self.__dict__.update(locals())
        self.planes = (layers or 1) * (6 if "cube" in geometry else 1)
        self.channel = format.partition("x")[0]
        self.count = 1 if format == "rgb10a2" else len(rules.channels(format)) if not format.startswith("bc") else 1

    def level_size(self, level):
        size = list(self.size) + [1] * (3 - len(self.size))
        return [max(1, n >> level) for n in size]

    def code(self, level, index):
        if self.texels is not None:
            return self.texels[level][index]
        if self.fill is not None:
            return self.fill[index % len(self.fill)]
        if self.by_level is not None:
            return self.coded(self.by_level[0] + level * self.by_level[1])
        first, step = self.ramp
        for l in range(level):
            w, h, d = self.level_size(l)
            index += w * h * d * self.planes * (self.samples or 1) * self.count
        return self.coded(first + index * step)

    def coded(self, value):
        return {"f32": lambda: f32(value), "f16": lambda: f16_bits(value)}.get(
            self.channel, lambda: value % 16 ** DIGITS[self.channel])()

    def texel(self, level, plane, sample, x, y, z):
        w, h, d = self.level_size(level)
        at = ((((plane * (self.samples or 1) + sample) * d + z) * h + y) * w + x) * self.count
        codes = [self.code(level, at + c) for c in range(self.count)]
        if self.format == "rgb10a2":
            t = codes[0]
            return [t & 1023, t >> 10 & 1023, t >> 20 & 1023, t >> 30]
        return codes

    def keys(self):
        table = {"format": self.format, "geometry": self.geometry, **dict(zip(("width", "height", "depth"), self.size))}
        for key in ("layers", "levels", "samples", "layout", "pitch"):
            if getattr(self, key) is not None:
                table[key] = getattr(self, key)
        digits = DIGITS.get(self.channel, 2)
        number = lambda code: f"{code:0{digits}x}"
        text = "\n".join(f"{k} = {json.dumps(v)}" for k, v in table.items())
        if self.texels is not None:
            kind, texels = "codes", ["".join(map(number, level)) for level in self.texels]
        elif self.fill is not None:
            kind, texels = "fill", "".join(map(number, self.fill))
        else:
            kind, texels = "by_level" if self.by_level else "ramp", self.by_level or self.ramp
        text += f"\ntexels = {{ {kind} = {json.dumps(texels)} }}"
        if self.missing is not None:
            regions = (f"{{ level = {l}, layer = {p}, tile = {t} }}" for l, p, *t in self.missing)
            text += f"\nnonresident = [{', '.join(regions)}]"
        if self.view:
            view = ", ".join(f"{k} = {json.dumps(v)}" for k, v in self.view.items())
            text += f"\nview = {{ {view} }}"
        return text


def level_sizes(size):
    return [[max(1, n >> l) for n in size] for l in range(max(size).bit_length())]


class File:
    def __init__(self, name, about):
        self.name, self.about, self.resources, self.cases = name, about, {}, []

    def resource(self, spec):
        return self.resources.setdefault(spec.keys(), f"r{len(self.resources) + 1}")

    def head(self, name, cites, spec, note, provenance):
        lines = [f"name = {json.dumps(name)}", f"rules = {json.dumps(cites.split('; '))}"]
        if provenance != BY_RULE:
            lines.append(f"provenance = {json.dumps(provenance)}")
        if note:
            lines.append(f"note = {json.dumps(note)}")
        return lines + [f"resource = {json.dumps(self.resource(spec))}"]

    def fetch(self, name, cites, spec, op, coords, note=None, read="element", normalized=False, sampler=None,
              offset=None, offsets=None, lod=None, dpdx=None, dpdy=None, compare=None, expect=None, resident=None,
              seen=None, error=None, tests_resident=False):
        """One [[fetch]]. coords: a row of bits a fetch (a single number stands for a row of one).
        expect: words by hand, four a fetch. seen: the Texture behind a view."""
        sampler = sampler or {}
        rows = [[r] if isinstance(r, int) else list(r) for r in coords]
        instruction = Op(op, offset is not None or offsets is not None, compare is not None)
        provenance = BY_HAND if expect is not None or error else BY_RULE
        lines = ["[[fetch]]"] + self.head(name, cites, spec, note, provenance)
        if read != "element":
            lines.append(f"read_mode = {json.dumps(read)}")
        if normalized:
            lines.append("normalized_coords = true")
        if sampler:
            lines.append("sampler = " + sampler_text(sampler))
        lines.append(f"op = {json.dumps(op)}")
        if offset is not None:
            lines.append(f"offset = {json.dumps(offset)}")
        words = lambda ws: json.dumps("".join(f"{w & 0xFFFFFFFF:08x}" for w in ws))
        if offsets is not None:
            lines.append(f"offsets = {words([w for r in offsets for w in r])}")
        if error:
            lines.append(f"error = {json.dumps(error)}")
            self.cases.append(lines)
            return
        texture = seen or Texture(
            spec.format, spec.geometry, spec.size, spec.texel, layers=spec.layers or 1, levels=spec.levels,
            samples=spec.samples or 1, memory=spec.layout is not None, missing=lambda *at: missing_at(spec, *at) if spec.missing else False)
        texture.read, texture.normalized = read, normalized
        values, predicate = [], []
        for i, row in enumerate(rows):
            o = {"coords": row, "offset": offsets[i] if offsets is not None else offset}
            for key, column in (("lod", lod), ("dpdx", dpdx), ("dpdy", dpdy), ("compare", compare)):
                if column is not None:
                    o[key] = column[i]
            if expect is not None:
                value, there = list(expect[i]), True if resident is None else resident[i]
            else:
                value, there = rules.fetch(texture, sampler, instruction, o)
            values.append(value)
            predicate.append(there)
        flat = lambda column: [w for r in column for w in (r if isinstance(r, (list, tuple)) else [r])]
        lines.append(f"coords = {words(flat(rows))}")
        for key, column in (("lod", lod), ("dpdx", dpdx), ("dpdy", dpdy), ("compare", compare)):
            if column is not None:
                lines.append(f"{key} = {words(flat(column))}")
        most = 2 if instruction.result == "f16x2" else 4
        keep = most
        while keep > 1 and all(v[keep - 1] == 0 for v in values):
            keep -= 1
        if keep != most:
            lines.append(f"components = {keep}")
        lines.append(f"expected = {words(flat([v[:keep] for v in values]))}")
        if tests_resident:
            lines.append('resident = "' + "".join("01"[p] for p in predicate) + '"')
        self.cases.append(lines)

    def surface(self, name, cites, spec, op, accesses=None, values=None, after=None, note=None, error=None, warp=False):
        lines = ["[[surface]]"] + self.head(name, cites, spec, note, BY_HAND)
        lines.append(f"op = {json.dumps(op)}")
        if error:
            lines.append(f"error = {json.dumps(error)}")
        else:
            lines.append(f"accesses = {json.dumps(' '.join(','.join(map(str, a)) for a in accesses))}")
            lines.append(f"values = {json.dumps(' '.join(values))}")
            if warp:
                lines.append("warp = true")
            if after is not None:
                lines.append(f"after = {json.dumps(after)}")
        self.cases.append(lines)

    def write(self, out):
        with open(os.path.join(out, f"corner-{self.name}.toml"), "w", encoding="utf-8") as target:
            target.write(f"# {self.about} Made by corners.py; see README.md.\n")
            target.write(f"provenance = {json.dumps(BY_RULE)}\n")
            for text, name in self.resources.items():
                target.write(f"\n[[resource]]\nname = {json.dumps(name)}\n{text}\n")
            surfaces = [c for c in self.cases if c[0] == "[[surface]]"]
            for case in [c for c in self.cases if c[0] == "[[fetch]]"] + surfaces:
                target.write("\n" + "\n".join(case) + "\n")
        print(f"corner-{self.name}: {len(self.cases)} cases")


def missing_at(spec, level, plane, at):
    """Tiles of 64 KiB: 128 x 128 texels of four bytes (256 x 128 of two, 256 x 256 of one)."""
    width, height = {8: (128, 128), 4: (256, 128), 2: (256, 256)}[DIGITS[spec.channel]]
    return [level, plane, at[0] // width, at[1] // height, 0] in spec.missing


KEYS = {"filter": "filter_mode", "mip_filter": "mipmap_filter_mode", "address": "address_mode", "border": "border_color",
        "bias": "mipmap_level_bias", "min": "min_mipmap_level_clamp", "max": "max_mipmap_level_clamp",
        "seamless_cube": "seamless_cubemap", "force_unnormalized": "force_unnormalized_coords"}


def number(bits):
    """The bits of an f32: as a short decimal number that has them, or as they are."""
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    for digits in range(1, 8):
        text = f"{value:.{digits}g}"
        plain = value == 0 or 1e-5 <= abs(value) < 1e9
        if plain and "e" not in text and struct.pack("<f", float(text)) == struct.pack("<I", bits):
            text = text if "." in text else f"{text}.0"
            if sum(c.isdigit() for c in text) <= 7:
                return text
            break
    return f'"0x{bits:08x}"'


def sampler_text(sampler):
    def value(key, v):
        if key == "border":
            return f"[{', '.join(map(number, v))}]"
        if key in ("bias", "min", "max"):
            return number(v)
        return json.dumps(v)

    return "{ " + ", ".join(f"{KEYS.get(k, k)} = {value(k, v)}" for k, v in sampler.items()) + " }"


def fs(*values):
    return [f(v) for v in values]


# ---- What many cases use ----

P1, P2, P3 = "tex.1d.v4.f32.f32", "tex.2d.v4.f32.f32", "tex.3d.v4.f32.f32"
LEVEL2 = "tex.level.2d.v4.f32.f32"
ONE = f(1.0)
LINEAR = {"filter": "linear"}
INFERRED = "open: inferred, not measured"


def bits(*values):
    return [f(v) for v in values]


def ramp(n, step=1):
    return Spec("f32", "1d", [n], ramp=[1, step])


def grid(w, h, **more):
    """A 2D texture whose texel (x, y) is 1 + x + 16 y."""
    return Spec("f32", "2d", [w, h], texels=[[f32(1 + x + 16 * y) for y in range(h) for x in range(w)]], **more)


def levels_spec(geometry, size, layers=None):
    """Mip levels: texel k of level l is 100 l + k + 1."""
    sizes = level_sizes(size)
    planes = (layers or 1) * (6 if "cube" in geometry else 1)
    texels = []
    for l, n in enumerate(sizes):
        count = planes
        for axis in n:
            count *= axis
        texels.append([f32(100 * l + k + 1) for k in range(count)])
    return Spec("f32", geometry, size, texels=texels, layers=layers, levels=len(sizes))


def flat_levels(geometry, size, layers=None):
    """Mip levels of one colour each: level l is l."""
    return Spec("f32", geometry, size, by_level=[0, 1], layers=layers, levels=len(level_sizes(size)))
