"""Tests a plain sampler of 2D textures, as many emulators begin with one, against the suite, and says where it fails.

    texunit cases export suite
    python3 examples/conformance/float_sampler.py suite

It filters in float32 without the 8-bit weights of the hardware, so it fails: the rules of its failures are what is left to do.
Exit code: 0 every case of its kind agrees, 1 some do not.
"""

import sys
from collections import Counter

import numpy as np
import suite

CHANNELS = {"u8": "u1", "s8": "i1", "u16": "u2", "s16": "i2", "u32": "u4", "s32": "i4", "f16": "f2", "f32": "f4"}


def why_not(case):
    """What of a case the sampler does not do."""
    resource, instruction = case["resource"], case["instruction"]
    format, _, count = resource["format"].partition("x")
    if instruction["kind"] != "sample" or instruction["lod"] not in ("implicit", "base"):
        return "gathers, levels and gradients"
    if (resource["geometry"], instruction["geometry"], instruction["coordinates"]) != ("2d", "2d", "f32"):
        return "other geometries and integer coordinates"
    if format not in CHANNELS or resource["view"] or resource["missing_tiles"] or resource["levels"]:
        return "other formats, views and levels"
    if set(case["operands"]) != {"point"} or case["sampler"]["srgb"] or instruction["result"] != "f32":
        return "offsets, compares, sRGB and results that are not floats"
    if format[0] in "us" and case["texture"]["read_mode"] == "element":
        return "integers"
    return None


def texels(case):
    """Texels as floats: [height, width, 4]."""
    resource = case["resource"]
    name, _, count = resource["format"].partition("x")
    width, height = resource["size"]
    kind, count = np.dtype(CHANNELS[name]), int(count or 1)
    codes = resource["texels"].view(kind).reshape(height, width, count)
    values = codes.astype(np.float32)
    if kind.kind in "ui":
        values = np.maximum(values / np.float32(np.iinfo(kind).max), -1)
    all = np.zeros((height, width, 4), np.float32)
    all[..., :count] = values
    return all


def index(i, size, mode):
    """Where texel i of an axis is read; None outside, where the border colour is."""
    if mode == "wrap":
        return i % size, None
    if mode == "mirror":
        i = i % (2 * size)
        return np.minimum(i, 2 * size - 1 - i), None
    return np.clip(i, 0, size - 1), (i < 0) | (i >= size) if mode == "border" else None


def sample(case):
    """All fetches: [4, fetches]."""
    picture, sampler = texels(case), case["sampler"]
    height, width = picture.shape[:2]
    normalized = case["texture"]["normalized_coords"] and not sampler["force_unnormalized_coords"]
    scale = [width, height] if normalized else [1, 1]
    x, y = (point.view(np.float32) * np.float32(n) for point, n in zip(case["operands"]["point"], scale))
    linear = sampler["filter"] == "linear"
    x, y = (np.clip(np.nan_to_num(axis, posinf=1e9, neginf=-1e9), -1e9, 1e9) - (0.5 if linear else 0) for axis in (x, y))
    left, top = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    result = np.zeros((len(x), 4), np.float32)
    for dx, dy in [(0, 0), (1, 0), (0, 1), (1, 1)] if linear else [(0, 0)]:
        (column, out_x), (row, out_y) = (
            index(i, n, mode) for i, n, mode in zip((left + dx, top + dy), (width, height), sampler["address_mode"])
        )
        value = picture[row, column]
        for outside in (out_x, out_y):
            if outside is not None:
                value = np.where(outside[:, None], np.array(sampler["border"], np.float32), value)
        a, b = (x - left, y - top) if linear else (np.zeros_like(x), np.zeros_like(y))
        weight = (a if dx else 1 - a) * (b if dy else 1 - b)
        result += (weight[:, None] * value).astype(np.float32)
    return result.T


def main(folder):
    agree, rules, left, first = 0, Counter(), Counter(), None
    failed = 0
    for document in suite.load(folder):
        for case in document["cases"]:
            if case["kind"] != "fetch" or not case["expected"] or "error" in case["expected"]:
                continue
            if why := why_not(case):
                left[why] += 1
                continue
            with np.errstate(all="ignore"):
                wrong = suite.compare(case, sample(case))
            if len(wrong) == 0:
                agree += 1
                continue
            failed += 1
            rules.update(case["rules"])
            first = first or (case, wrong[0], len(wrong))
    print(f"{agree} cases agree, {failed} do not, {sum(left.values())} are not for this sampler:")
    for why, count in left.most_common():
        print(f"  {count:5} {why}")
    print("rules of the cases that do not agree:")
    for rule, count in rules.most_common(8):
        print(f"  {count:5} {rule}")
    if first:
        case, fetch, count = first
        print(f"the first: {case['id']} ({case['name']}), fetch {fetch} of {count} that differ")
        print(f"  texunit explain tests/fetch/{case['id'].replace('#', '.toml#')}:{fetch} shows each step of it")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
