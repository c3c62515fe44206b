#!/usr/bin/env python3
"""Makes the case files of this folder from the published vectors.

    convert.py HARDWARE_DIR MODEL_DIR [OUT_DIR]

HARDWARE_DIR holds vectors recorded on a GeForce RTX 3060 (sm_86) and published by the pantheonsim
project; MODEL_DIR holds vectors that a model computed, which reproduces the hashes published there
for the same rules. Both are folders of NAME.json.gz, a texture, a sampler, an instruction and many
coordinates each. They are not part of this repository; the case files are what we keep of them.

Nothing is recomputed here but the hash of computed cases. What is dropped is checked: channels that
a format lacks must be 0, hardware hashes must match. Files that only corners.py makes are left
alone.
"""

import glob
import gzip
import json
import os
import re
import struct
import sys

from casefile import number

# Name of a format: what follows r, rg, rgba -> (channel, read mode, sRGB).
FORMATS = {
    "8_unorm": ("u8", "normalized", False), "8_snorm": ("s8", "normalized", False),
    "8_srgb": ("u8", "normalized", True),
    "16_unorm": ("u16", "normalized", False), "16_snorm": ("s16", "normalized", False),
    "8_uint": ("u8", "element", False), "8_sint": ("s8", "element", False),
    "16_uint": ("u16", "element", False), "16_sint": ("s16", "element", False),
    "32_uint": ("u32", "element", False), "32_sint": ("s32", "element", False),
    "16f": ("f16", "element", False), "32f": ("f32", "element", False),
}
WHOLE = {
    "rgb10a2_unorm": ("rgb10a2", "element", False),
    "bc1": ("bc1", "normalized", False), "bc1_srgb": ("bc1_srgb", "normalized", True),
    "bc2": ("bc2", "normalized", False), "bc2_srgb": ("bc2_srgb", "normalized", True),
    "bc3": ("bc3", "normalized", False), "bc3_srgb": ("bc3_srgb", "normalized", True),
    "bc4_unorm": ("bc4", "normalized", False), "bc4_snorm": ("bc4_snorm", "normalized", False),
    "bc5_unorm": ("bc5", "normalized", False), "bc5_snorm": ("bc5_snorm", "normalized", False),
}
DIGITS = {"u8": 2, "s8": 2, "u16": 4, "s16": 4, "f16": 4, "u32": 8, "s32": 8, "f32": 8}

HARDWARE = "GeForce RTX 3060 (sm_86), published by the pantheonsim project"
MODEL = "computed by a model that reproduces the RTX 3060 hashes published by the pantheonsim project for these rules"

# Output file -> what it is about. Which file a case goes to: the first word of its name.
ABOUT = {
    "hardware-linear": "Linear filtering, as the card answered.",
    "hardware-mip": "Explicit levels of mipmapped textures, as the card answered.",
    "hardware-grad": "Gradients to levels, as the card answered.",
    "address": "Address modes at every kind of size, point and linear.",
    "linear": "Linear filtering of every format.",
    "point": "Point-sampled values of every format.",
    "intcoord": "Integer coordinates.",
    "border": "Border colours of every format.",
    "layers": "Layered textures and layers past the end.",
    "cube": "Cube maps.",
    "acube": "Layered cube maps.",
    "tld4": "Gathers.",
    "offset": "Offsets.",
    "level": "Explicit mip levels.",
    "tex-on-mipmap": "Fetches without level from mipmapped textures.",
    "aniso": "Explicit levels, sharpened by maxAnisotropy.",
    "grad": "Gradients to levels.",
    "srgb": "sRGB texels.",
    "rgb10a2": "10:10:10:2 texels.",
    "bc": "Block-compressed texels.",
    "dest": "Results as f16.",
    "suld.b": "Surface loads out of range.",
    "sust.b": "Surface stores out of range.",
    "sust.p": "Formatted surface stores.",
}
WORD = re.compile(r"state starts at (\d+) and runs on through all levels")


def split_format(name):
    """rgba8_unorm -> (u8x4, u8, 4, normalized, srgb); the second is None if texels are packed."""
    if name in WHOLE:
        format_name, mode, srgb = WHOLE[name]
        channels = {"bc4": 1, "bc4_snorm": 1, "bc5": 2, "bc5_snorm": 2}.get(format_name, 4)
        return format_name, None, channels, mode, srgb
    match = re.fullmatch(r"(r|rg|rgba)(\d.*)", name)
    channel, mode, srgb = FORMATS[match[2]]
    n = len(match[1])
    return channel if n == 1 else f"{channel}x{n}", channel, n, mode, srgb


def checksum(words):
    h = 1469598103934665603
    for byte in b"".join(struct.pack("<I", int(w, 16)) for w in words):
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return f"{h:016x}"


def string(value):
    return json.dumps(value)


def inline(table):
    return "{ " + ", ".join(f"{k} = {v}" for k, v in table.items()) + " }"


def lines(head, table):
    return [f"[[{head}]]"] + [f"{key} = {value}" for key, value in table.items()]


class File:
    """One output file: cases, and what they share."""

    def __init__(self):
        self.cases = []
        self.resources = {}  # text -> name
        self.counts = {}     # long string -> how many cases have it
        self.words = {}      # long string -> name

    def resource(self, table):
        text = "\n".join(f"{k} = {v}" for k, v in table.items())
        return string(self.resources.setdefault(text, f"r{len(self.resources) + 1}"))

    def shared(self, text):
        """Placeholder of a string that is written as "@name" if several cases have it."""
        self.counts[text] = self.counts.get(text, 0) + 1
        return Shared(self, text)

    def write(self, path, about, provenance):
        for text, count in self.counts.items():
            if count > 1 and len(text) > 200:
                self.words[text] = f"w{len(self.words) + 1}"
        # `str` of what is shared knows the names now.
        cases = [lines(head, table) for table, head in self.cases]
        with open(path, "w", encoding="utf-8") as target:
            target.write(f"# {about} Made by convert.py; see README.md.\n")
            target.write(f"provenance = {string(provenance)}\n")
            if self.words:
                target.write("\n[words]\n")
                for text, name in self.words.items():
                    target.write(f"{name} = {string(text)}\n")
            for text, name in self.resources.items():
                target.write(f"\n[[resource]]\nname = {string(name)}\n{text}\n")
            for case in cases:
                target.write("\n" + "\n".join(case) + "\n")


class Shared:
    def __init__(self, file, text):
        self.file, self.text = file, text

    def __str__(self):
        name = self.file.words.get(self.text)
        return string(f"@{name}" if name else self.text)


def joined(rows):
    return "".join(w for row in rows for w in (row if isinstance(row, list) else [row]))


def bits(value):
    return value if isinstance(value, str) else struct.pack(">f", value).hex()


def sampler_table(data, srgb):
    s = data["sampler"]
    table = {}
    mipmapped = s["mip_filter"] != "none"
    if s["filter"] != "point":
        table["filter_mode"] = string(s["filter"])
    if s["mip_filter"] == "linear":
        table["mipmap_filter_mode"] = string("linear")
    address = [s["address"]] if isinstance(s["address"], str) else s["address"]
    table["address_mode"] = json.dumps(address)
    border = "".join(map(bits, s["border"]))
    if border.strip("0"):
        table["border_color"] = f"[{', '.join(number(int(border[i : i + 8], 16)) for i in range(0, 32, 8))}]"
    if mipmapped:
        for key, name, default in (("min_lod", "min_mipmap_level_clamp", 0), ("max_lod", "max_mipmap_level_clamp", None), ("bias", "mipmap_level_bias", 0)):
            if s[key] != default:
                value = s[key]
                table[name] = number(int(bits(value), 16)) if isinstance(value, str) or value != int(value) else json.dumps(int(value))
    else:
        assert (s["min_lod"], s["max_lod"], s["bias"]) == (0, 0, 0), data["name"]
    if s["max_anisotropy"] != 1:
        table["max_anisotropy"] = s["max_anisotropy"]
    assert s.get("srgb", False) == srgb, data["name"]
    if srgb:
        table["srgb"] = "true"
    return table


def sizes(size):
    return dict(zip(("width", "height", "depth"), size))


def level_count(size):
    return max(size).bit_length()


def resource_table(data, format_name, channel):
    """The resource; levels_rule and levels are both kept as they are."""
    table = {
        "format": string(format_name),
        "geometry": string(data["geometry"]),
        **sizes(data["size"]),
    }
    if data.get("layers") is not None:
        table["layers"] = data["layers"]
    mipmapped = data["sampler"]["mip_filter"] != "none"
    if "levels_rule" in data:
        assert mipmapped and format_name == "f32"
        table["levels"] = level_count(data["size"])
        table["texels"] = f"{{ published = {WORD.search(data['levels_rule'])[1]} }}"
        return table
    if mipmapped:
        table["levels"] = len(data["levels"])
    else:
        assert len(data["levels"]) == 1, data["name"]
    if channel:
        assert all(len(t) == DIGITS[channel] for level in data["levels"] for t in level)
    codes = json.dumps(["".join(level) for level in data["levels"]])
    table["texels"] = f"{{ codes = {codes} }}"
    return table


def expected_words(data, channels):
    """Words to list, and how many a fetch; others must be 0 and are left out."""
    expected = data["expected"]
    per_fetch = data.get("values_per_fetch", len(expected) // len(data["coords"]))
    most = 2 if data.get("dtype") == "f16x2" else 4
    keep = per_fetch if most == 2 or data["op"].startswith("tld4") else min(per_fetch, channels)
    if data["format"].startswith("bc"):
        keep = per_fetch
    words = []
    for i in range(0, len(expected), per_fetch):
        fetch = expected[i : i + per_fetch]
        assert all(int(w, 16) == 0 for w in fetch[keep:]), data["name"]
        words += fetch[:keep]
    if "hash" in data:
        assert checksum(words) == data["hash"], data["name"]
    return words, keep, most


def rules(data):
    names = {"data/bc.md": "11", "2 (point-sampled values)": "2"}
    found = []
    for rule in data.get("rules", []):
        rule = names.get(rule, rule)
        if rule not in found:
            found.append(rule)
    if not found:
        found = ["1", "2"] + (["3"] if "lod" in data else ["4", "3"] if "dpdx" in data else [])
    return json.dumps(found)


def fetch_case(file, data):
    format_name, channel, channels, mode, srgb = split_format(data["format"])
    words, keep, most = expected_words(data, channels)
    vector = "v2" if data.get("dtype") == "f16x2" else "v4"
    op = f"{data['op']}.{data['geometry']}.{vector}.{data.get('dtype', 'f32')}.{data.get('ctype', 'f32')}"
    table = {"name": string(data["name"]), "rules": rules(data)}
    if data.get("note"):
        table["note"] = string(data["note"])
    table["resource"] = file.resource(resource_table(data, format_name, channel))
    if mode != "element":
        table["read_mode"] = string(mode)
    if data["sampler"]["normalized"]:
        table["normalized_coords"] = "true"
    table["sampler"] = inline(sampler_table(data, srgb))
    table["op"] = string(op)
    if data.get("offset") is not None:
        table["offset"] = json.dumps(data["offset"])
    table["coords"] = file.shared(joined(data["coords"]))
    for key in ("lod", "dpdx", "dpdy"):
        if key in data:
            table[key] = file.shared(joined(data[key]))
    if keep != most:
        table["components"] = keep
    table["expected"] = file.shared("".join(words))
    table["hash"] = string(checksum(words))
    file.cases.append((table, "fetch"))


def surface_case(file, data):
    table = {"name": string(data["name"]), "rules": json.dumps(data["rules"])}
    formatted = data["op"] == "sust.p"
    if formatted:
        resource = {"format": string(split_format(data["format"])[0]), "geometry": string(data["geometry"]), **sizes(data["size"])}
        vector = "" if data["vec"] == 1 else f".v{data['vec']}"
        op = f"sust.p.{data['geometry']}{vector}.b32.{data['clamp']}"
        accesses = [",".join(map(str, a)) for a in data["accesses"]]
        values = ["".join(v) for v in data["values"]]
    else:
        axes = {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2, "3d": 3}[data["geometry"]]
        size = [data["row_bytes"], data["rows"], data["slices"]]
        resource = {"format": string("u8"), "geometry": string(data["geometry"]), **sizes(size[:axes])}
        assert all(n == 1 for n in size[axes:]), data["name"]
        if data["layers"] is not None:
            resource["layers"] = data["layers"]
        op = f"{data['op']}.{data['geometry']}.{data['clamp']}"
        accesses = [f"{a['bytes']}:{','.join(map(str, a['coord']))}" for a in data["accesses"]]
        values = data["expected" if data["op"] == "suld.b" else "values"]
    resource["texels"] = f"{{ bytes = {string(data['surface_before'])} }}"
    table["resource"] = file.resource(resource)
    table["op"] = string(op)
    table["accesses"] = string(" ".join(accesses))
    table["values"] = string(" ".join(values))
    # Loads change nothing.
    table["after"] = string(data.get("surface_after", data["surface_before"]))
    file.cases.append((table, "surface"))


def family(folder, name):
    if folder == "hardware":
        return "hardware-" + name.split("-")[0]
    return "tex-on-mipmap" if name.startswith("tex-on-mipmap") else name.split("-")[0]


def main(hardware, model, out=os.path.dirname(os.path.abspath(__file__))):
    files, fetches = {}, 0
    for folder, path in (("hardware", hardware), ("model", model)):
        for source_path in sorted(glob.glob(os.path.join(path, "*.json.gz"))):
            with gzip.open(source_path) as source:
                data = json.load(source)
            key = (folder, family(folder, data["name"]))
            file = files.setdefault(key, File())
            (surface_case if data["op"].startswith("su") else fetch_case)(file, data)
            fetches += len(data.get("coords", data.get("accesses")))
    for (folder, name), file in files.items():
        provenance = HARDWARE if folder == "hardware" else MODEL
        file.write(os.path.join(out, name + ".toml"), ABOUT[name], provenance)
        print(f"{name}: {len(file.cases)} cases, {len(file.resources)} resources")
    print(f"{fetches} fetches and accesses")


if __name__ == "__main__":
    main(*sys.argv[1:])
