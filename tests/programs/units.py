"""The programs that read textures and use surfaces. Texels say where they lie, and filters pick one texel, so that results are plain
arithmetic on coordinates; the bits of filtered values are the subject of tests/fetch."""
import struct

from case import BYTES, Case, array


def number(x, y=0, z=0, plane=0, level=0):
    """What a texel is called: one decimal digit for each of level, layer or face, z, y, x."""
    return (((level * 100 + plane) * 10 + z) * 10 + y) * 10 + x


def mipmap(width, height=1, depth=1, planes=1, levels=1):
    """All texels in the order of a job file."""
    texels = []
    for level in range(levels):
        w, h, d = (max(1, n >> level) for n in (width, height, depth))
        texels += [number(x, y, z, plane, level) for plane in range(planes) for z in range(d) for y in range(h) for x in range(w)]
    return texels


def table(**keys):
    text = lambda v: "true" if v is True else "false" if v is False else f'"{v}"' if isinstance(v, str) else str(v)
    return ", ".join(f"{k} = {text(v)}" for k, v in keys.items())


def texels(kind, values):
    return f"texels = {{ {kind} = {array(kind, values)} }}"


class Unit(Case):
    """A case with textures and surfaces."""

    def member(self, key, text):
        """A parameter, or the member of a structure that begins at a byte."""
        self.lines += ["", f'[params."{key}"]', text]
        return self

    def texture(self, key, kind, values, **keys):
        return self.member(key, f"texture = {{ {texels(kind, values)}, {table(**keys)} }}")

    def surface(self, key, kind, values, after=None, **keys):
        self.member(key, f"surface = {{ {texels(kind, values)}, {table(**keys)} }}")
        if after is not None:
            self.tail += ["", f'[expect."{key}"]', self.data(f"out{key.replace('+', '-')}", kind, after)]
        return self

    def result(self, key, kind, values):
        values = list(values)
        self.member(key, f"buffer = {{ zeros = {len(values) * BYTES[kind[1:]]} }}")
        self.tail += ["", f'[expect."{key}"]', self.data(f"out{key}", kind, values)]
        return self


def texture_functions(rng):
    threads = range(32)
    x, y, z = (lambda n: n % 8), (lambda n: n // 8 % 4), (lambda n: n // 16)
    face, i, j = (lambda n: n % 6), (lambda n: n // 6 % 4), (lambda n: n // 24 % 4)
    rows = [
        lambda n: n, lambda n: number(x(n)), lambda n: number(x(n), y(n)), lambda n: number(x(n), y(n), z(n)),
        lambda n: number(x(n), plane=z(n)), lambda n: number(x(n), y(n), plane=z(n)),
        lambda n: number(i(n), j(n), plane=face(n)), lambda n: number(i(n), j(n), plane=6 * z(n) + face(n)),
        lambda n: number(x(n) // 2, level=1), lambda n: number(x(n) >> min(y(n), 2), y(n) >> min(y(n), 2), level=min(y(n), 2)),
        lambda n: number(x(n) // 2, y(n) // 2, level=1), lambda n: number(x(n) // 4, plane=z(n), level=2),
        lambda n: number(x(n) // 2, y(n) // 2, plane=z(n), level=1), lambda n: number(i(n) // 2, j(n) // 2, plane=face(n), level=1),
        lambda n: number(i(n) // 2, j(n) // 2, plane=6 * z(n) + face(n), level=1), lambda n: number(x(n) // 2, level=1),
        lambda n: number(x(n) // 4, y(n) // 4, level=2) if n < 16 else number(x(n), y(n)),
        lambda n: number(x(n) // 2, y(n) // 2, level=1), lambda n: number(x(n) // 4, plane=z(n), level=2),
        lambda n: number(x(n) // 2, y(n) // 2, plane=z(n), level=1),
        lambda n: number(0, 3), lambda n: number(x(n), y(n), plane=1), lambda n: 0,
        lambda n: number(x(n), y(n)) + (0 if n & 1 else 50),
    ]
    case = Unit("texture_functions", "texture_functions", [1], [32], about="Texture functions of CUDA C++ by geometry.")
    common = {"format": "f32", "normalized_coords": True}
    case.texture("0+0", "f32", threads, geometry="1d", width=32, layout="linear", format="f32")
    case.texture("0+8", "f32", mipmap(8, levels=3), geometry="1d", width=8, levels=3, **common)
    case.texture("0+16", "f32", mipmap(8, 4, levels=3), geometry="2d", width=8, height=4, levels=3, **common)
    case.texture("0+24", "f32", mipmap(8, 4, 2, levels=3), geometry="3d", width=8, height=4, depth=2, levels=3, **common)
    case.texture("0+32", "f32", mipmap(8, planes=2, levels=3), geometry="a1d", width=8, layers=2, levels=3, **common)
    case.texture("0+40", "f32", mipmap(8, 4, planes=2, levels=3), geometry="a2d", width=8, height=4, layers=2, levels=3, **common)
    case.texture("0+48", "f32", mipmap(4, 4, planes=6, levels=2), geometry="cube", width=4, levels=2, **common)
    case.texture("0+56", "f32", mipmap(4, 4, planes=12, levels=2), geometry="acube", width=4, layers=2, levels=2, **common)
    case.texture("0+64", "f32", [v + 50 for v in mipmap(8, 4)], geometry="2d", width=8, height=4, **common)
    case.result("1", "f32", [row(n) for row in rows for n in threads]).write()


def texture_types(rng):
    threads, x, y = range(16), (lambda n: n % 4), (lambda n: n // 4)
    texels_of = lambda count, low, high: [[rng.randint(low, high) for _ in range(count)] for _ in threads]
    flat = lambda rows: [v for row in rows for v in row]
    u8, s16, u32 = texels_of(4, 0, 255), texels_of(2, -32768, 32767), texels_of(1, 0, 2**32 - 1)
    # Numbers that halves hold.
    f16, f32 = texels_of(4, -2048, 2048), texels_of(4, -10**6, 10**6)
    halves = [struct.unpack("<H", struct.pack("<e", v))[0] for v in flat(f16)]
    footprint = lambda n: [(x(n), y(n) + 1), (x(n) + 1, y(n) + 1), (x(n) + 1, y(n)), (x(n), y(n))]
    gather = lambda texel, n, c: [texel[min(j, 3) * 4 + min(i, 3)][c] for i, j in footprint(n)]
    rows = [
        lambda n: u8[n], lambda n: s16[n] + [0, 0], lambda n: [u32[n][0] >> 16, u32[n][0] & 0xFFFF, 0, 0], lambda n: f16[n],
        # The nearest f32 of k / 255.
        lambda n: [v / 255 for v in u8[n]],
        *(lambda n, c=c: gather(f32, n, c) for c in range(4)), lambda n: gather(u8, n, 2),
        lambda n: [0, 0, int(n < 8), int(n < 8)],
    ]
    case = Unit("texture_types", "texture_types", [1], [16], about="Element types, gathers and residency.")
    shape = {"geometry": "2d", "width": 4, "height": 4}
    case.texture("0", "u8", flat(u8), format="u8x4", **shape).texture("1", "s16", flat(s16), format="s16x2", **shape)
    case.texture("2", "u32", flat(u32), format="u32", **shape).texture("3", "u16", halves, format="f16x4", **shape)
    case.texture("4", "f32", flat(f32), format="f32x4", **shape).texture("5", "u8", flat(u8), format="u8x4", read_mode="normalized", **shape)
    sparse = table(geometry="2d", format="f32", zeros=True, width=256, height=128)
    case.member("6", f"texture = {{ {sparse}, nonresident = [{{ offset = [128, 0], extent = [128, 128] }}] }}")
    case.result("7", "f32", flat(row(n) for row in rows for n in threads)).write()


def surface_functions(rng):
    threads, x, y = range(32), (lambda n: n % 8), (lambda n: n // 8)
    clamp = lambda v, high: max(0, min(v, high))
    rows = [
        lambda n: number(x(n)), lambda n: number(x(n), y(n)), lambda n: number(x(n), y(n) % 2, y(n) // 2), lambda n: number(x(n), plane=y(n) % 3),
        lambda n: number(x(n), y(n) // 2 * 0 + y(n) % 2, plane=y(n) // 2), lambda n: number(n % 2, n // 2 % 2, plane=n // 4 % 6),
        lambda n: number(clamp(2 * x(n) - 4, 7), clamp(y(n) - 1, 3)),
        lambda n: number(2 * x(n) - 4, y(n) - 1) if 0 <= 2 * x(n) - 4 < 8 and y(n) >= 1 else 0,
        lambda n: number(x(n), 1, plane=min(7 * y(n), 1)),
    ]
    at = lambda w, h, n: n[0] + w * (n[1] + h * n[2])
    before = {"d1": mipmap(8), "d2": mipmap(8, 4), "d3": mipmap(8, 2, 2), "a1": mipmap(8, planes=3), "a2": mipmap(8, 2, planes=2), "cube": mipmap(2, 2, planes=6)}
    after = {k: list(v) for k, v in before.items()}
    for n in threads:
        v = 1000 * n
        if y(n) == 0:
            after["d1"][x(n)] = v + 1
        after["d2"][n] = v + 2
        after["d3"][n] = v + 3
        if y(n) < 3:
            after["a1"][n] = v + 4
        after["a2"][n] = v + 5
        if n < 24:
            after["cube"][n] = v + 6
    case = Unit("surface_functions", "surface_functions", [1], [32], about="Surface functions of CUDA C++ by geometry.")
    shapes = {"d1": {"geometry": "1d", "width": 8}, "d2": {"geometry": "2d", "width": 8, "height": 4}, "d3": {"geometry": "3d", "width": 8, "height": 2, "depth": 2},
              "a1": {"geometry": "a1d", "width": 8, "layers": 3}, "a2": {"geometry": "a2d", "width": 8, "height": 2, "layers": 2}, "cube": {"geometry": "cube", "width": 2}}
    for i, (name, shape) in enumerate(shapes.items()):
        case.surface(f"0+{8 * i}", "u32", before[name], after[name], format="u32", **shape)
    case.result("1", "u32", [row(n) for row in rows for n in threads]).write()


def surface_types(rng):
    sizes = [1, 2, 4, 2, 4, 8, 4, 8, 16, 8, 16, 4, 8, 16]
    before = [[rng.randint(0, 255) for _ in range(32)] for _ in sizes]
    after = [[b for i in range(32 // size)[::-1] for b in row[i * size:(i + 1) * size]] for size, row in zip(sizes, before)]
    flat = lambda rows: [v for row in rows for v in row]
    case = Unit("surface_types", "surface_types", [1], [32], about="Surface elements of every type.")
    case.surface("0", "u8", flat(before), flat(after), geometry="2d", format="u8", width=32, height=len(sizes)).write()


def texture_operands(rng):
    threads = range(32)
    x, y, z, s, e = (lambda n: n % 8), (lambda n: n // 8), (lambda n: n // 16), (lambda n: n % 4), (lambda n: n % 16 - 8)
    clamp = lambda v, size: max(0, min(v, size - 1))
    line = lambda i: number(clamp(i, 8))
    flat = lambda i, j, plane=0, level=0: number(clamp(i, 8 >> level), clamp(j, 4 >> level), plane=plane, level=level)
    # Integer coordinates outside read 0.
    inside = lambda i, j=0, k=0, size=(8, 4, 2), **rest: number(i, j, k, **rest) if all(0 <= v < n for v, n in zip((i, j, k), size)) else 0
    sampled = lambda i, j, sample, plane=0: inside(i, j, plane=4 * plane + sample, size=(8, 4, 1))
    depth = [float(rng.randint(0, 4)) for _ in threads]
    passes = lambda reference, i, j: float(reference <= depth[clamp(j, 4) * 8 + clamp(i, 8)])
    face = lambda n: n % 6
    # Texel (i, j) of a face from a direction with 1 or -1 along its axis and 0.25 along the others: s and t are 0.25 or -0.25.
    turned = [(-1, -1), (1, -1), (1, 1), (1, -1), (1, -1), (-1, -1)]
    on_face = lambda n: [2 if v > 0 else 1 for v in turned[face(n)]]
    low = lambda i, j: number(i, j)
    rows = [
        lambda n: inside(x(n) + 1, size=(8, 1, 1)), lambda n: line(x(n) + e(n)), lambda n: line(x(n) + e(n)), lambda n: flat(x(n) - 1, y(n) + e(n)),
        lambda n: inside(x(n) - 7, y(n), size=(8, 4, 1)), lambda n: flat(x(n), y(n)),
        lambda n: inside(x(n) + 1, y(n) - 1, z(n) + 1),
        # Depth 2 at level 0, where z = 0.25 + 1 is the second slice; depth 1 at level 1.
        lambda n: number(x(n), clamp(y(n) + 1, 4), 1) if z(n) == 0 else number(x(n) // 2, clamp(y(n) // 2 + 1, 2), level=1),
        # Of a level that is there, integer coordinates are clamped.
        lambda n: flat(x(n), y(n), level=y(n)) if y(n) < 3 else 0,
        lambda n: flat(x(n) // 2 + 1, y(n) // 2, level=1),
        lambda n: number(x(n), plane=y(n)) if y(n) < 3 else 0, lambda n: flat(x(n) + 2, y(n) + 1, plane=z(n)),
        lambda n: inside(x(n) - 1, y(n) + e(n), size=(8, 4, 1), plane=1),
        lambda n: sampled(x(n), y(n), s(n)), lambda n: sampled(x(n) - 1, y(n) + 1, 3), lambda n: sampled(x(n), y(n), s(n), z(n)),
        lambda n: sampled(x(n) + 1, y(n), 1, 1),
        lambda n: passes(s(n), x(n), y(n)), lambda n: passes(5, x(n) + 1, y(n)),
        lambda n: number(*on_face(n), plane=face(n)), lambda n: low(x(n), y(n)), lambda n: low(x(n), y(n)),
    ]
    around = lambda i, j: [(i, j + 1), (i + 1, j + 1), (i + 1, j), (i, j)]
    middle = lambda n, plane: [number(i, j, plane=plane) for i, j in around(1, 1)]
    gathers = [
        lambda n: [flat(i, j) for i, j in around(x(n) + 8, y(n) - 2)], lambda n: [flat(i, j, plane=z(n)) for i, j in around(x(n), y(n))],
        lambda n: [flat(i, j, plane=z(n)) for i, j in around(x(n) + e(n), y(n) + 1)], lambda n: middle(n, face(n)), lambda n: middle(n, 6 * z(n) + face(n)),
        lambda n: [passes(s(n), i, j) for i, j in around(x(n), y(n))], lambda n: [passes(s(n), i, j) for i, j in around(x(n) + 1, y(n))],
    ]
    case = Unit("texture_operands", "texture_operands", [1], [32], ["kernel.ptx"], about="Operands that CUDA C++ has no function for.")
    case.result("0", "f32", [row(n) for row in rows for n in threads]).result("1", "f32", [v for row in gathers for n in threads for v in row(n)])
    plain, mapped = {"format": "f32"}, {"format": "f32", "normalized_coords": True, "levels": 3}
    size = {"width": 8, "height": 4}
    case.texture("2", "f32", mipmap(8), geometry="1d", width=8, **plain).texture("3", "f32", mipmap(8, 4), geometry="2d", **size, **plain)
    case.texture("4", "f32", mipmap(8, 4, 2), geometry="3d", **size, depth=2, **plain).texture("5", "f32", mipmap(8, 4, levels=3), geometry="2d", **size, **mapped)
    case.texture("6", "f32", mipmap(8, 4, 2, levels=3), geometry="3d", **size, depth=2, **mapped)
    case.texture("7", "f32", mipmap(8, planes=3), geometry="a1d", width=8, layers=3, **plain)
    case.texture("8", "f32", mipmap(8, 4, planes=2), geometry="a2d", **size, layers=2, **plain)
    case.texture("9", "f32", mipmap(8, 4, planes=4), geometry="2dms", **size, samples=4, **plain)
    case.texture("10", "f32", mipmap(8, 4, planes=8), geometry="a2dms", **size, layers=2, samples=4, **plain)
    case.texture("11", "f32", depth, geometry="2d", **size, format="depth32f", compare="less_equal")
    case.texture("12", "f32", mipmap(4, 4, planes=6), geometry="cube", width=4, format="f32", normalized_coords=True)
    case.texture("13", "f32", mipmap(4, 4, planes=12), geometry="acube", width=4, layers=2, format="f32", normalized_coords=True).write()


def texture_modes(rng):
    threads = range(32)
    x, y, layer = (lambda n: n % 8), (lambda n: n // 8), (lambda n: n // 16)
    # Layers are a depth: NVIDIA H200 (sm_90), driver 580.159.04, CUDA 13.0, 2026-11-28.
    queries = [8, 4, 2, 0x10DC, 0x10B0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 0, 1, 4, 0, 0, 3, 4, 0, 2, 4, 3, 2, 0, 16, 8, 3, 0x10DA, 0x10B5, 3, 0] + [1, 0, 0, 0, 1, 0, 0, 0, 1]
    # u = 1.125 (x + 0.5), v = y + 0.5. Normalized, with eight and four texels, u wraps and v is mirrored; in texels u is clamped.
    wrapped = lambda n: number((9 * x(n) + 4) % 8, 1 if y(n) & 1 else 2, plane=layer(n))
    place = lambda n: (18 * x(n) + 9) // 16
    clamped = lambda n: number(min(place(n), 7), y(n), plane=layer(n))
    bordered = lambda n: number(place(n), y(n), plane=layer(n)) if place(n) < 8 else 0
    gathered = lambda n: number((18 * x(n) + 1) // 16, y(n), plane=layer(n))
    rows = [wrapped, clamped, wrapped, clamped, clamped, bordered, lambda n: wrapped(n) + 500, clamped, gathered]
    case = Unit("texture_modes", "texture_modes", [1], [32], ["kernel.ptx"], about="Independent texturing mode and queries.")
    case.result("0", "u32", queries).result("1", "u32", [row(n) for row in rows for n in threads])
    array_of = lambda add: f"{texels('u32', [v + add for v in mipmap(8, 4, planes=2)])}, {table(geometry='a2d', width=8, height=4, layers=2, format='u32', normalized_coords=True)}"
    case.member("2", f"texture = {{ {array_of(500)} }}").member("3", f"sampler = {{ {table(address_mode='border', force_unnormalized_coords=True)} }}")
    section = lambda name, *lines: case.lines.extend(["", f"[{name}]", *lines])
    section("textures.t", texels("u32", mipmap(8, 4, planes=2)), 'geometry = "a2d"', "width = 8", "height = 4", "layers = 2", 'format = "u32"', "normalized_coords = true")
    section("textures.samples", "zeros = true", 'geometry = "2dms"', "width = 4", "height = 4", "samples = 4", 'format = "f32"')
    section("textures.cubes", "zeros = true", 'geometry = "acube"', "width = 4", "layers = 2", "levels = 3", 'format = "f32"')
    section("surfaces.s", "zeros = true", 'geometry = "a2d"', "width = 16", "height = 8", "layers = 3", 'format = "u8x4"')
    case.write()


def surface_reduce(rng):
    count = 6 * 96
    values = [rng.randint(-2**31, 2**31 - 1) for _ in range(count)]
    mask = lambda v, bits: v & ((1 << bits) - 1)
    signed = lambda v, bits: mask(v, bits) - (1 << bits) * (mask(v, bits) >> (bits - 1))
    fold = {
        "add": lambda a, b: a + b, "and": lambda a, b: a & b, "or": lambda a, b: a | b, "min": min, "max": max,
    }

    def reduce(op, kind, start):
        """All values into one place, as unsigned or signed numbers of that width."""
        bits = int(kind[1:])
        read = (lambda v: signed(v, bits)) if kind[0] == "s" else (lambda v: mask(v, bits))
        total = read(start)
        for v in values:
            total = read(fold[op](total, read(v)))
        return mask(total, bits)

    middle = lambda bits: rng.randint(0, 2**bits - 1)
    words = [middle(32) for _ in range(9)]
    kinds = [("add", "u32"), ("add", "s32"), ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"), ("and", "u32"), ("or", "u32"), ("add", "u32")]
    after_words = [reduce(op, kind, w) for (op, kind), w in zip(kinds, words)]
    longs = [middle(64) for _ in range(10)]
    wide = [("add", "u64"), ("min", "u64"), ("min", "s64"), ("max", "u64"), ("max", "s64")]
    after_longs = longs[:5] + [reduce(op, kind, w) for (op, kind), w in zip(wide, longs[5:])]
    halves = lambda list_: [w for v in list_ for w in (v & 0xFFFFFFFF, v >> 32)]
    five = ["add", "min", "max", "and", "or"]
    cells = [middle(32) for _ in range(20)]
    after_cells = cells[:15] + [reduce(op, "u32", v) for op, v in zip(five, cells[15:])]
    row = [middle(32) for _ in range(5)]
    after_row = [reduce(op, "s32", v) for op, v in zip(five, row)]
    threads = range(32)
    byte = lambda v: min(v, 255)
    bytes_ = [b for n in threads for b in (byte(mask(values[n], 32)), n % 8, 255, n // 8)]
    short = lambda v: max(-32768, min(v, 32767))
    shorts = [w for n in threads for w in (short(values[n]), short(~values[n]))]
    half = lambda v: struct.unpack("<H", struct.pack("<e", v))[0]
    f16 = [w for n in threads for w in (half(float(n % 8)), half(-float(n % 8)))]
    floats = [float(n) if n < 8 else 0.0 for n in threads]
    layers = [mask(values[8 * layer + i], 32) if row_ else 0 for layer in range(4) for row_ in range(2) for i in range(8)]
    unit = lambda n: int(max(0.0, min(n % 8 / 4 - 0.375, 1.0)) * 255 + 0.5)
    units = [b for n in threads for b in (unit(n), 255, 0, unit(n))]
    case = Unit("surface_reduce", "surface_reduce", [6], [96], ["kernel.ptx"], about="sured from many CTAs, sust.p of many formats.")
    case.member("0", f"buffer = {{ s32 = {array('s32', values)} }}")
    zeros = lambda key, kind, after, **keys: case.surface(key, kind, [0] * len(after), after, **keys)
    zeros("1", "u8", bytes_, geometry="2d", width=8, height=4, format="u8x4")
    zeros("2", "s16", shorts, geometry="2d", width=8, height=4, format="s16x2")
    zeros("3", "u16", f16, geometry="2d", width=8, height=4, format="f16x2")
    zeros("4", "f32", floats, geometry="2d", width=8, height=4, format="f32")
    zeros("5", "u32", layers, geometry="a2d", width=8, height=2, layers=4, format="u32")
    zeros("6", "u8", units, geometry="1d", width=32, format="unorm8x4")
    case.surface("7", "u32", words, after_words, geometry="1d", width=9, format="u32")
    case.surface("8", "u32", halves(longs), halves(after_longs), geometry="2d", width=5, height=2, format="u32x2")
    case.surface("9", "u32", cells, after_cells, geometry="3d", width=5, height=2, depth=2, format="u32")
    as_signed = lambda list_: [signed(v, 32) for v in list_]
    case.surface("10", "s32", as_signed(row), as_signed(after_row), geometry="2d", width=5, height=1, format="s32").write()


PROGRAMS = [surface_functions, surface_reduce, surface_types, texture_functions, texture_modes, texture_operands, texture_types]
