#!/usr/bin/env python3
"""Makes the case files of this folder from the published vectors.

    convert.py HARDWARE_DIR MODEL_DIR [OUT_DIR]

HARDWARE_DIR holds vectors recorded on a GeForce RTX 3060 (sm_86) and published by the pantheonsim
project; MODEL_DIR holds vectors that a model computed, which reproduces the hashes published there
for the same rules. Both are folders of NAME.json.gz, a texture, a sampler, an instruction and many
coordinates each. They are not part of this repository; the case files are what we keep of them.

Nothing is recomputed here but the hash of computed cases. What is dropped is checked: channels that
a format lacks must be 0, hardware hashes must match.
"""

import glob
import gzip
import json
import os
import re
import struct
import sys

FORMATS = {
    "8_unorm": ("u8", "normalized"), "8_snorm": ("s8", "normalized"),
    "16_unorm": ("u16", "normalized"), "16_snorm": ("s16", "normalized"),
    "8_uint": ("u8", "element"), "8_sint": ("s8", "element"),
    "16_uint": ("u16", "element"), "16_sint": ("s16", "element"),
    "32_uint": ("u32", "element"), "32_sint": ("s32", "element"),
    "16f": ("f16", "element"), "32f": ("f32", "element"),
}
DIGITS = {"u8": 2, "s8": 2, "u16": 4, "s16": 4, "f16": 4, "u32": 8, "s32": 8, "f32": 8}
GEOMETRIES = ("1d", "2d", "3d")

HARDWARE = "GeForce RTX 3060 (sm_86), published by the pantheonsim project"
MODEL = "computed by a model that reproduces the RTX 3060 hashes published by the pantheonsim project for these rules"

# Output file: (folder, file names, what it is about)
FAMILIES = {
    "hardware-linear": ("hardware", "linear-*", "Linear filtering, as the card answered."),
    "address": ("model", "address-*", "Address modes at every kind of size, point and linear."),
    "linear": ("model", "linear-*", "Linear filtering of every format."),
    "point": ("model", "point-*", "Point-sampled values of every format."),
    "intcoord": ("model", "intcoord-*", "Integer coordinates."),
    "border": ("model", "border-*", "Border colours of every format."),
    "suld.b": ("model", "suld.b-*", "Surface loads out of range."),
    "sust.b": ("model", "sust.b-*", "Surface stores out of range."),
}


def split_format(name):
    """rgba8_unorm -> (u8, 4, normalized), or None for formats that texunit has not got yet."""
    match = re.fullmatch(r"(r|rg|rgba)(\d.*)", name)
    if not match or match[2] not in FORMATS:
        return None
    channel, mode = FORMATS[match[2]]
    return channel, len(match[1]), mode


def checksum(words):
    h = 1469598103934665603
    for byte in b"".join(struct.pack("<I", int(w, 16)) for w in words):
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return f"{h:016x}"


def string(value):
    return json.dumps(value)


def strings(values):
    return "[" + ", ".join(map(string, values)) + "]"


def fetch_case(data):
    """A `[[fetch]]` table, or None if it is out of scope."""
    split = split_format(data["format"])
    if data["op"] != "tex" or data["geometry"] not in GEOMETRIES or split is None:
        return None
    if data.get("dtype", "f32") not in ("f32", "s32", "u32") or data.get("offset"):
        return None
    if data.get("layers") is not None or len(data["levels"]) != 1:
        return None
    channel, channels, mode = split
    sampler = data["sampler"]
    per_fetch = data.get("values_per_fetch", len(data["expected"]) // len(data["coords"]))
    expected = []
    for i in range(0, len(data["expected"]), per_fetch):
        fetch = data["expected"][i : i + per_fetch]
        assert len(fetch) >= min(channels, 4) and all(int(w, 16) == 0 for w in fetch[channels:])
        expected += fetch[:channels]
    if "hash" in data:
        assert checksum(expected) == data["hash"], data["name"]
    texels = data["levels"][0]
    assert all(len(t) == DIGITS[channel] for t in texels)
    address = sampler["address"]
    border = [w if isinstance(w, str) else struct.pack(">f", w).hex() for w in sampler["border"]]
    name = channel if channels == 1 else f"{channel}x{channels}"
    return [
        "[[fetch]]",
        f"name = {string(data['name'])}",
        f"geometry = {string(data['geometry'])}",
        f"coord = {string(data.get('ctype', 'f32'))}",
        f"result = {string(data.get('dtype', 'f32'))}",
        f"format = {string(name)}",
        f"read_mode = {string(mode)}",
        f"size = {json.dumps(data['size'])}",
        f"filter = {string(sampler['filter'])}",
        f"address = {strings([address] if isinstance(address, str) else address)}",
        f"normalized_coords = {json.dumps(sampler['normalized'])}",
        f"border = {string(''.join(border))}",
        f"texels = {string(''.join(texels))}",
        f"coords = {string(''.join(w for c in data['coords'] for w in c))}",
        f"expected = {string(''.join(expected))}",
        f"hash = {string(checksum(expected))}",
    ]


def surface_case(data):
    """A `[[surface]]` table, or None if it is out of scope."""
    if data["geometry"] not in GEOMETRIES or data.get("layers") is not None:
        return None
    access = [f"{a['bytes']}:{','.join(map(str, a['coord']))}" for a in data["accesses"]]
    lines = [
        "[[surface]]",
        f"name = {string(data['name'])}",
        f"op = {string(data['op'])}",
        f"geometry = {string(data['geometry'])}",
        f"clamp = {string(data['clamp'])}",
        f"size = {json.dumps([data['row_bytes'], data['rows'], data['slices']])}",
        f"before = {string(data['surface_before'])}",
        f"accesses = {string(' '.join(access))}",
        f"values = {string(' '.join(data['expected' if data['op'] == 'suld.b' else 'values']))}",
    ]
    if data["op"] == "sust.b":
        lines.append(f"after = {string(data['surface_after'])}")
    return lines


def main(hardware, model, out=os.path.dirname(os.path.abspath(__file__))):
    folders = {"hardware": (hardware, HARDWARE), "model": (model, MODEL)}
    for family, (folder, pattern, about) in FAMILIES.items():
        path, provenance = folders[folder]
        cases, skipped = [], []
        for file in sorted(glob.glob(os.path.join(path, pattern + ".json.gz"))):
            with gzip.open(file) as source:
                data = json.load(source)
            case = (surface_case if family.startswith("su") else fetch_case)(data)
            if case is None:
                skipped.append(data["name"])
            else:
                cases.append(case)
        with open(os.path.join(out, family + ".toml"), "w", encoding="utf-8") as target:
            target.write(f"# {about} Made by convert.py; see README.md.\n")
            target.write(f"provenance = {string(provenance)}\n")
            for case in cases:
                target.write("\n" + "\n".join(case) + "\n")
        print(f"{family}: {len(cases)} cases; skipped {skipped}")


if __name__ == "__main__":
    main(*sys.argv[1:])
