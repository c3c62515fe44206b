"""The cases of tests/fetch that the module can express, bit for bit."""

import struct
import tomllib
from pathlib import Path

import pytest

numpy = pytest.importorskip("numpy")

from texunit import Texture  # noqa: E402

FOLDER = Path(__file__).resolve().parents[2] / "tests/fetch"
AXES = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 2, "acube": 2, "2dms": 2, "a2dms": 2}
TYPES = {"u8": "u1", "s8": "i1", "u16": "u2", "s16": "i2", "u32": "u4", "s32": "i4", "f16": "f2", "f32": "f4"}
TYPES |= {"unorm8": "u1", "unorm16": "u2", "snorm8": "i1", "snorm16": "i2"}
PACKED = {"rgb10a2": "u4", "depth16": "u2", "depth24": "u4", "depth32f": "f4"}
BLOCKS = {"bc1": 8, "bc1_srgb": 8, "bc4": 8, "bc4_snorm": 8}


def words(text, digits=8):
    """Numbers of so many digits, as bytes in memory."""
    size = digits // 2
    return numpy.frombuffer(bytes.fromhex(text), "u1").reshape(-1, size)[:, ::-1].tobytes()


def layout(format):
    """Type of an element, elements of a texel (or bytes of a block), texels along a block's edge."""
    if format in PACKED:
        return PACKED[format], 1, 1
    if format.startswith("bc"):
        return "u1", BLOCKS.get(format, 16), 4
    channel, _, count = format.partition("x")
    return TYPES[channel], int(count or 1), 1


def size_of(resource):
    return [resource[key] for key in ("width", "height", "depth") if key in resource]


def levels(resource, lookup):
    """An array for each level, or None for what this reader does not make."""
    dtype, channels, block = layout(resource["format"])
    geometry, size, texels = resource["geometry"], size_of(resource), resource["texels"]
    lead = [resource.get("layers", 1)] if geometry.startswith("a") else []
    lead += [6] if "cube" in geometry else []
    lead += [resource["samples"]] if "ms" in geometry else []
    shapes = []
    for level in range(resource.get("levels", 1)):
        axes = [max(n >> level, 1) for n in size]
        axes = [-(-n // block) if i < 2 else n for i, n in enumerate(axes)]
        shapes.append([*lead, *axes[::-1], *([channels] if channels > 1 else [])])
    counts = [int(numpy.prod(shape)) for shape in shapes]
    itemsize = numpy.dtype(dtype).itemsize
    if "codes" in texels:
        data = b"".join(words(lookup(text), 2 * itemsize) for text in texels["codes"])
    elif "bytes" in texels:
        data = bytes.fromhex(lookup(texels["bytes"]))
    elif "fill" in texels:
        texel = words(lookup(texels["fill"]), 2 * itemsize)
        data = texel * (sum(counts) * itemsize // len(texel))
    elif "ramp" in texels:
        first, step = texels["ramp"]
        data = (first + step * numpy.arange(sum(counts))).astype(dtype).tobytes()
    elif "by_level" in texels:
        first, step = texels["by_level"]
        data = b"".join(numpy.full(n, first + step * i).astype(dtype).tobytes() for i, n in enumerate(counts))
    elif "published" in texels:
        state, all_levels = texels["published"], []
        for level, count in enumerate(counts):
            for _ in range(count):
                state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
                all_levels.append(float(state >> 8 & 0xFFFF) / 64 + level * 1000)
        data = numpy.array(all_levels, "f4").tobytes()
    else:
        return None
    values = numpy.frombuffer(data, dtype)
    if len(values) != sum(counts):
        return None
    arrays = numpy.split(values, numpy.cumsum(counts)[:-1])
    return [array.reshape(shape) for array, shape in zip(arrays, shapes, strict=True)]


def number(value):
    return struct.unpack("<f", words(value.removeprefix("0x")))[0] if isinstance(value, str) else value


def texture(resource, case, lookup):
    """The texture of a case, or None for what arrays do not say."""
    if resource.keys() & {"layout", "nonresident", "view"}:
        return None
    if case.get("sampler", {}).get("force_unnormalized_coords"):
        return None
    arrays = levels(resource, lookup)
    if arrays is None:
        return None
    geometry, sampler = resource["geometry"], dict(case.get("sampler", {}))
    numbers = ("min_mipmap_level_clamp", "max_mipmap_level_clamp", "mipmap_level_bias")
    state = {key: number(value) if key in numbers else value for key, value in sampler.items()}
    if "border_color" in state:
        border = [number(value) for value in state["border_color"]]
        if numpy.isnan(border).any():
            # Python's floats do not keep which NaN it is.
            return None
        state["border_color"] = border
    if len(arrays) == 1 and "levels" in resource and "bc" not in resource["format"]:
        if resource["format"] in PACKED:
            return None
        state["mipmaps"] = 1
    return Texture(
        arrays[0] if len(arrays) == 1 else arrays,
        dim=AXES[geometry],
        layered=geometry.startswith("a"),
        cube="cube" in geometry,
        multisample="ms" in geometry,
        format=resource["format"],
        size=size_of(resource)[::-1] if resource["format"].startswith("bc") else None,
        read=case.get("read_mode", "element"),
        normalized_coords=case.get("normalized_coords", False),
        **state,
    )


def split(op):
    """Kind, level, geometry, result, coordinates of an instruction."""
    parts = op.split(".")
    kind, rest = parts[0], parts[1:]
    modifier = rest.pop(0) if kind == "tld4" or rest[0] in ("base", "level", "grad") else ""
    geometry, _, result, coordinates = rest
    return kind, modifier, geometry, result, coordinates


def answers(made, case, lookup):
    """The registers of all fetches, as far as the module gives them; None for instructions that it does not have."""
    kind, modifier, geometry, result, coordinates = split(case["op"])
    axes = AXES[geometry]
    point = 3 if "cube" in geometry else axes
    order = [*(["sample"] if "ms" in geometry else []), *(["layer"] if geometry.startswith("a") else [])]
    table = numpy.frombuffer(words(lookup(case["coords"])), "u4").reshape(-1, len(order) + point)
    real = "f4" if coordinates == "f32" else "i4"
    at = numpy.ascontiguousarray(table[:, len(order) :]).view(real)
    keywords = {name: numpy.ascontiguousarray(table[:, i]) for i, name in enumerate(order)}

    def operand(key, dtype, count):
        values = numpy.frombuffer(words(lookup(case[key])), dtype)
        return values.reshape(-1, count) if count > 1 else values

    if "offset" in case:
        keywords["offset"] = tuple(case["offset"])
    elif "offsets" in case:
        keywords["offset"] = operand("offsets", "i4", axes)
    if "compare" in case:
        keywords["compare"] = operand("compare", "f4", 1)
    if modifier == "level":
        keywords["lod"] = operand("lod", real, 1)
    if modifier == "grad":
        keywords["grad"] = (operand("dpdx", "f4", point), operand("dpdy", "f4", point))
    if result == "f16":
        keywords["dtype"] = "float16"
    at = at[:, 0] if point == 1 else at
    if kind == "tld4":
        values = made.gather(at, "rgba".index(modifier), **keywords)
    else:
        values = (made.sample if real == "f4" else made.fetch)(at, **keywords)
    return values.reshape(len(table), values.size // max(len(table), 1))


def expressible(resource, case, lookup):
    kind, modifier, geometry, result, _ = split(case["op"])
    if geometry != resource["geometry"] or modifier == "base" or result == "f16x2" or "expected" not in case:
        return None
    if geometry == "1d" and (case["op"].endswith(".s32") or modifier == "grad" and "compare" in case):
        # A caller who asks with the wrong class is told; only a kernel gets zeros (numerics.md 1.13).
        return None
    try:
        made = texture(resource, case, lookup)
    except ValueError as error:
        # The unit filters integers, and no interface lets a texture ask for it.
        assert "cudaErrorInvalidFilterSetting" in str(error)
        return None
    if made is None:
        return None
    kind = made.levels[0].dtype.kind if case.get("read_mode") != "normalized" else "f"
    kind = "f" if layout(resource["format"])[2] == 4 or resource["format"] in PACKED else kind
    fits = {"f": ("f32", "f16"), "u": ("u32",), "i": ("s32",)}[kind]
    return made if result in fits else None


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_cases(file):
    content = tomllib.loads(file.read_text())
    named = content.get("words", {})
    resources = {resource["name"]: resource for resource in content.get("resource", [])}

    def lookup(text):
        return named[text[1:]] if text.startswith("@") else text

    done = 0
    for n, case in enumerate(content.get("fetch", []), 1):
        resource = resources[case["resource"]]
        made = expressible(resource, case, lookup)
        if made is None:
            continue
        is_ = answers(made, case, lookup)
        most = case.get("components", 4)
        should = numpy.frombuffer(words(lookup(case["expected"])), "u4").reshape(len(is_), most)
        count = min(is_.shape[1], most)
        bits = is_.view(f"u{is_.itemsize}")[:, :count]
        assert (bits == should[:, :count].astype(bits.dtype)).all(), f"{file.name}#{n}: {case['op']}"
        done += 1
    counts[file.stem] = done


counts = {}


def test_enough_cases_ran():
    if len(counts) == len(list(FOLDER.glob("*.toml"))):
        assert sum(counts.values()) > 1000, counts
