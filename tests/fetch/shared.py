"""Cases of rules that planned fetches and the reference share code of (README.md), so that comparing the two
shows nothing, and of rules that both compute, where it takes many inputs to see all of them. corners.py writes them."""

from casefile import P2, File, Spec, bits, flat_levels, fs
from rules import f, f32

GRAD2, CUBE_GRAD, CUBE = "tex.grad.2d.v4.f32.f32", "tex.grad.cube.v4.f32.f32", "tex.cube.v4.f32.f32"
HALF = {"filter": "linear", "mip_filter": "linear"}
NEAREST = {"filter": "linear", "mip_filter": "point"}


def shared():
    c = File("shared", "Rules that planned fetches and the reference share code of.")
    logarithms(c)
    anisotropies(c)
    geometries(c)
    taps(c)
    cube_gradients(c)
    without_operand(c)
    corners(c)
    far_taps(c)
    return c


def logarithms(c):
    """Rule 4.7: every entry of the table, as a level between two colours."""
    flat = flat_levels("2d", [256, 256])
    c.fetch("log2-table", "4.7", flat, GRAD2, [bits(0.4, 0.3)] * 256, dpdx=[bits((1 + k / 256) / 64, 0.0) for k in range(256)],
            dpdy=[bits(0, 0)] * 256, normalized=True, sampler=HALF)


def anisotropies(c):
    """Rule 4.12: which anisotropies there are, seen from the level; 3.6: how levels are sharpened then."""
    flat = flat_levels("2d", [4096, 64])
    # A length of 512 texels beside one of 1: the level is log2(512 / A) = 9 - log2(A). A bias brings it to a place
    # between two levels for some A or others.
    biases = (0.0, 0.25, -0.25, 0.4, -0.4)
    for a in (*range(0, 19), 100, 0xFFFFFFFF):
        for bias in biases:
            c.fetch(f"anisotropy-{a}-{bias}", "4.12", flat, GRAD2, [bits(0.4, 0.3)] * 2, dpdx=[bits(512 / 4096, 0), bits(0, 0)], dpdy=[bits(0, 1 / 64), bits(512 / 4096, 0)],
                    normalized=True, sampler={**NEAREST, "max_anisotropy": a, "bias": f(bias)})
    for a in (1, 2, 3, 4, 6, 7, 8, 16):
        lengths = [int(64 * 2.0 ** (k / 8)) / 64 for k in range(-4, 40)]
        c.fetch(f"sharpened-gradients-{a}", "4.12; 3.6", flat_levels("2d", [256, 256]), GRAD2, [bits(0.4, 0.3)] * len(lengths), dpdx=[bits(x / 256, 0) for x in lengths],
                dpdy=[bits(0, x / 256) for x in lengths], normalized=True, sampler={**HALF, "max_anisotropy": a, "bias": f(0.25)})


def geometries(c):
    """Rule 4.12: which textures have taps: a point filter, and one axis, too; not three."""
    long = {"max_anisotropy": 16, "mip_filter": "linear"}
    for name, geometry, size, filter in (("point-filter", "2d", [256, 256], "point"), ("one-axis", "1d", [256], "linear"), ("three-axes", "3d", [64, 64, 64], "linear")):
        axes = len(size)
        row = lambda *v: bits(*v[:axes])
        c.fetch(f"taps-of-{name}", "4.12; 4.6", flat_levels(geometry, size), f"tex.grad.{geometry}.v4.f32.f32", [row(0.4, 0.3, 0.6)] * 3, dpdx=[row(0.125, 0, 0), row(0, 0.0625, 0), row(0.03125, 0.01, 0)],
                dpdy=[row(0, 0.015625, 0), row(0.25, 0, 0), row(0, 0, 0.0625)], normalized=True, sampler={"filter": filter, **long})


def without_operand(c):
    """Rule 9.2: a compare needs an operand, whatever the sampler's state is."""
    grid = Spec("f32", "2d", [2, 2], texels=[fs(0.1, 0.2, 0.3, 0.4)])
    for filter in ("point", "linear"):
        c.fetch(f"compare-state-without-operand-{filter}", "9.2", grid, P2, [bits(x, y) for x in (0.5, 1.25) for y in (0.5, 1.0)], sampler={"filter": filter, "compare": "less"})


def taps(c):
    """Rule 4.12: how many taps, where, and what they count: texel (x, y) is x * x, or y * y, so that the sum tells."""
    for axis, name in ((0, "x"), (1, "y")):
        size = [128, 4] if axis == 0 else [4, 128]
        spec = Spec("f32", "2d", size, texels=[[f32([x, y][axis] ** 2) for y in range(size[1]) for x in range(size[0])]])
        for ratio in (1, 4, 8, 16):
            for a in (2, 4, 5, 8, 9, 16, 17):
                long, short = [ratio / 128, 0], [0, 1 / 4]
                dpdx, dpdy = (long, short) if axis == 0 else (long[::-1], short[::-1])
                at = [[40.5 / 128, 0.5], [64 / 128, 0.5], [77.25 / 128, 0.5]]
                at = [bits(*(p if axis == 0 else p[::-1])) for p in at]
                for turned in (False, True):
                    first, second = (dpdy, dpdx) if turned else (dpdx, dpdy)
                    c.fetch(f"taps-{name}-{ratio}-of-{a}{'-turned' if turned else ''}", "4.12", spec, GRAD2, at, dpdx=[bits(*first)] * 3, dpdy=[bits(*second)] * 3,
                            normalized=True, sampler={"filter": "linear", "max_anisotropy": a})
    # A wall of depth: the share of the taps' texels that pass.
    wall = Spec("f32", "2d", [128, 4], texels=[[f32(float(x >= 64)) for _ in range(4) for x in range(128)]])
    for a in (1, 4, 8, 16):
        c.fetch(f"taps-compared-{a}", "4.12; 9.2; 9.3", wall, GRAD2, [bits(x / 128, 0.5) for x in (50, 60, 62.5, 63, 64, 64.25, 66, 68, 80)], dpdx=[bits(a / 128, 0)] * 9, dpdy=[bits(0, 1 / 4)] * 9,
                compare=fs(*[0.5] * 9), normalized=True, sampler={"filter": "linear", "max_anisotropy": a, "compare": "less"})


def far_taps(c):
    """Rules 1.1, 1.5 and 1.7 of taps whose coordinates are too large for 32-bit arithmetic, or no numbers."""
    points = [f(x) for x in (33000.3, -33000.3, 5e4, -5e4, 1e6, -1e6, 2e7, -2e7, 3e9, -3e9, 1e30)] + [0x7F800000, 0xFF800000, 0x7F800001]
    for n in (128, 100):
        spec = Spec("f32", "2d", [n, 4], texels=[[f32(x**2) for _ in range(4) for x in range(n)]])
        for mode in ("clamp", "wrap", "mirror", "border"):
            c.fetch(f"far-taps-{mode}-{n}", "4.12; 1.1; 1.5; 1.7", spec, GRAD2, [[x, f(0.5)] for x in points], dpdx=[bits(8 / n, 0)] * len(points), dpdy=[bits(0, 1 / 4)] * len(points),
                    normalized=True, sampler={"filter": "linear", "max_anisotropy": 8, "address": [mode, "clamp"], "border": fs(-9.0, 0, 0, 0)})


def cube_gradients(c):
    """Rule 4.11: quads on one face, over an edge, around a corner, on the opposite face, and unlike scales."""
    points = [(0.25, 0.5, 1.0), (-0.5, 0.125, -1.0), (1.0, 0.25, -0.75), (-1.0, 0.875, 0.5), (0.5, 1.0, 0.875), (-0.25, -1.0, -0.5), (0.9375, 0.875, 1.0), (2.0, -1.5, 0.5)]
    steps = [(0.125, 0, 0), (0, -0.25, 0), (0, 0, 0.5), (-0.375, 0.25, 0.125), (1.0, 0.5, -0.25), (0, 0, -3.0), (0.03125, -0.0625, 0), (0, 0, 0)]
    quads = [(p, a, b) for p in points for a, b in zip(steps, steps[1:] + steps[:1])]
    quads += [(p, a, (0, 0, 0)) for p in points for a in steps]
    for n in (64, 48):
        spec = flat_levels("cube", [n, n])
        for bias in (0.0, 0.5):
            c.fetch(f"cube-gradients-{n}-{bias}", "4.11; 4.2; 4.8", spec, CUBE_GRAD, [bits(*p) for p, _, _ in quads], dpdx=[bits(*a) for _, a, _ in quads], dpdy=[bits(*b) for _, _, b in quads],
                    sampler={**NEAREST, "bias": f(bias)})


def corners(c):
    """Rule 7.7: what is in the place of the missing texel in every kind of format, at all eight corners of the cube."""
    signs = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    # Of each corner, the three faces that meet there.
    near = [bits(*[s * (1.0 if a == major else 0.9375) for a, s in enumerate(p)]) for p in signs for major in range(3)]
    codes = {"u8": [0, 255, 17, 201, 128, 84], "u16": [1, 65535, 300, 20000, 40001, 9], "s8": [0x80, 0x7F, 0xFF, 3, 0x91, 0xC0], "s16": [0x8000, 0x7FFF, 0xFFFF, 700, 0x8123, 5],
             "f16": [0x3C01, 0xBC00, 0x4248, 0x0001, 0x7BFF, 0x8400], "f32": [f(0.1), f(-7.0), f(1e10), f(3.3333), f(-0.7), f(1e-3)]}
    for format, six in codes.items():
        normalized = format[0] in "us"
        for n in (1, 2, 4):
            for turn in range(3):
                six = six[1:] + six[:1]
                spec = Spec(format, "cube", [n, n], texels=[[code for code in six for _ in range(n * n)]])
                c.fetch(f"corner-{format}-{n}-{turn}", "7.7", spec, CUBE, near, read="normalized" if normalized else "element",
                        sampler={"filter": "linear", "seamless_cube": True})
    for turn in range(4):
        spec = Spec("u8x4", "cube", [2, 2], texels=[[(37 * (face + turn) ** 2 + 91 * channel) % 256 for face in range(6) for _ in range(4) for channel in range(4)]])
        sampler = {"filter": "linear", "seamless_cube": True, "srgb": True}
        c.fetch(f"corner-srgb-{turn}", "7.7; 5.1", spec, CUBE, near, read="normalized", sampler=sampler)
    # Which texels of the three faces: no two of this cube are equal.
    for n in (2, 3, 4):
        every = Spec("f32", "cube", [n, n], texels=[[f32(k * k) for k in range(6 * n * n)]])
        c.fetch(f"corner-texels-{n}", "7.7", every, CUBE, near, sampler={"filter": "linear", "seamless_cube": True})
    # Taps that leave the face past an edge or a corner, while the three points of the gradients stay on it.
    points = [(s, t, ds, dt) for s in (0.95, -0.75) for t in (0.9, -0.97, 0.1) for ds, dt in ((-1.6, 0.0), (0.0, -1.7), (-1.5, -1.4))]
    inward = lambda x, d: d if x > 0 else -d
    for name, face in (("z", lambda s, t, m: bits(s, -t, m)), ("-x", lambda s, t, m: bits(-m, -t, s)), ("y", lambda s, t, m: bits(s, m, t))):
        for seamless in (False, True):
            c.fetch(f"{'seamless' if seamless else 'inner'}-taps-{name}", "4.12; 7.7", every, CUBE_GRAD, [face(s, t, 1.0) for s, t, _, _ in points],
                    dpdx=[face(inward(s, ds), inward(t, dt), 0.0) for s, t, ds, dt in points], dpdy=[face(inward(s, -0.01), 0.0, 0.0) for s, _, _, _ in points],
                    sampler={"filter": "linear", "seamless_cube": seamless, "max_anisotropy": 16})
    depths = Spec("f32", "cube", [2, 2], texels=[[f32(v) for v in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6) for _ in range(4)]])
    c.fetch("corner-compared", "7.7; 9.2", depths, CUBE, near * 3, compare=[f(v) for v in (0.25, 0.35, 0.45) for _ in near],
            sampler={"filter": "linear", "seamless_cube": True, "compare": "less"})
