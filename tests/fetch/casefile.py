"""Writes corner cases as TOML (see README.md), with answers from rules.py or by hand."""

import json
import os
import struct

import rules
from rules import DIGITS, Op, Texture, f, f32

BY_RULE = "computed in exact fractions from the text of the rules (rules.py)"
BY_HAND = "worked out by hand from the text of the rules"
NAN, QNAN, INF, NINF = 0x7FC00000, 0xFFC12345, 0x7F800000, 0xFF800000


class Spec:
    """A resource, as a table of TOML: texels as [codes of a level] in packed order, or a ramp, one texel, a value a level."""

    def __init__(self, format, geometry, size, texels=None, missing=None, view=None, **more):
        self.geometry = geometry
        self.table = {"format": format, "geometry": geometry, **dict(zip(("width", "height", "depth"), size))}
        for key in ("layers", "levels", "samples", "layout", "pitch"):
            if more.get(key) is not None:
                self.table[key] = more[key]
        hexed = lambda codes: "".join(f"{code:0{DIGITS.get(format.partition('x')[0], 2)}x}" for code in codes)
        kind = next((k for k in ("fill", "by_level", "ramp") if k in more), "codes")
        self.table["texels"] = {kind: [hexed(level) for level in texels] if kind == "codes" else hexed(more[kind]) if kind == "fill" else more[kind]}
        if missing is not None:
            self.table["nonresident"] = [{"level": l, "layer": p, "tile": t} for l, p, *t in missing]
        if view:
            self.table["view"] = view

    def keys(self):
        return "\n".join(f"{k} = {inline(v)}" for k, v in self.table.items())


def inline(value):
    """A value of TOML on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {inline(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value)


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
              offset=None, offsets=None, lod=None, dpdx=None, dpdy=None, compare=None, expect=None, error=None,
              tests_resident=False):
        """One [[fetch]]. coords: a row of bits a fetch (a single number stands for a row of one).
        expect: words by hand, four a fetch."""
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
        texture = expect is None and Texture(spec.table, read, normalized)
        values, predicate = [], []
        for i, row in enumerate(rows):
            o = {"coords": row, "offset": offsets[i] if offsets is not None else offset}
            for key, column in (("lod", lod), ("dpdx", dpdx), ("dpdy", dpdy), ("compare", compare)):
                if column is not None:
                    o[key] = column[i]
            if expect is not None:
                value, there = list(expect[i]), True
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


KEYS = {short: key for key, short in rules.SAMPLER_KEYS.items()}


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
