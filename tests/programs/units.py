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
    common = {"format": "f32", "normalized": True}
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
    case.texture("4", "f32", flat(f32), format="f32x4", **shape).texture("5", "u8", flat(u8), format="u8x4", read="normalized", **shape)
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


PROGRAMS = [texture_functions, texture_types, surface_functions, surface_types]
