"""Cases of what hardware does beyond the letter (docs/numerics.md 1.11, 1.13): one mip level, and
instructions of a neighbouring geometry. corners.py writes them."""

from casefile import INF, LEVEL2, LINEAR, NAN, P1, P2, File, Spec, bits, fs, grid, levels_spec, ramp
from rules import AXES, f, f32


def neighbour():
    c = File("neighbour", "One mip level (1.11), and instructions of a neighbouring geometry (1.13).")
    one_level(c)
    neighbours_of_1d(c)
    one_layer(c)
    return c


def lods(geometry, count):
    """Suffix and operands of the forms: a level and gradients that no texture of one level follows."""
    axes = AXES.get(geometry, 2)
    row = lambda x: [f(x / (1 + a)) for a in range(axes)]
    return (("", {}), (".base", {}), (".level", {"lod": [f(0.75 * k - 1) for k in range(count)]}),
            (".grad", {"dpdx": [row(0.5 * k) for k in range(count)], "dpdy": [row(3.0 - k) for k in range(count)]}))


def one_level(c):
    """Rule 1.11 for arrays of one level."""
    every = [0.0, 0.5, 1.25, 2.5, 2.996, 3.5, -1.0, 0.99, 40.0]
    for geometry, size in (("1d", [8]), ("2d", [5, 4]), ("3d", [4, 3, 2]), ("a1d", [5]), ("a2d", [4, 3])):
        layered = geometry[0] == "a"
        spec = Spec("f32", geometry, size, ramp=[1, 3], layers=2 if layered else None, levels=1)
        points = [([k % 3] if layered else []) + [f(x + 0.5 * a) for a in range(AXES.get(geometry, 2))] for k, x in enumerate(every)]
        for flt, mode in (("point", "clamp"), ("linear", "clamp"), ("linear", "border"), ("point", "wrap"), ("linear", "mirror")):
            for lod, operands in lods(geometry, len(every)):
                c.fetch(f"one-level-{geometry}{lod}-{flt}-{mode}", "1.11 one level", spec, f"tex{lod}.{geometry}.v4.f32.f32", points, **operands,
                        sampler={"filter": flt, "mip_filter": flt, "address": [mode], "border": fs(-7.0, 0, 0, 0)})
    two = Spec("u8x4", "2d", [4, 4], ramp=[3, 7], levels=1)
    c.fetch("one-level-of-elements", "1.11 one level", two, "tex.level.2d.v4.u32.f32", [bits(x, 1.5) for x in (0.5, 1.5, 3.5, 9.0, -4.0)], lod=bits(0, 1, 2, 3, -1))
    c.fetch("one-level-normalized", "1.11 one level", two, "tex.level.2d.v4.f32.f32", [bits(x, 0.3) for x in (0.1, 0.6, 1.2, -0.7)], lod=bits(0, 1, 2, 3), read="normalized", normalized=True,
            sampler={"filter": "linear", "mip_filter": "linear", "address": ["wrap", "mirror"]})
    c.fetch("one-level-offset", "1.11 one level; 1.4", two, "tex.2d.v4.f32.f32", [bits(x, 1.3) for x in (0.5, 1.25, 3.0)], offset=[1, -1], read="normalized", sampler=LINEAR)
    c.fetch("one-level-gathered", "1.11 one level; 8.2", two, "tld4.g.2d.v4.f32.f32", [bits(x, 1.3) for x in (0.5, 1.25, 3.0)], read="normalized")
    c.fetch("one-level-integers", "1.11 one level; 1.9", two, "tex.level.2d.v4.u32.s32", [[0, 0], [3, 3], [4, 0]], lod=[0, 1, 0])
    texels = [[f32(1 + k) for k in range(16)], [f32(100 + k) for k in range(4)], [f32(1000)]]
    part = Spec("f32", "2d", [4, 4], texels=texels, levels=3, view={"levels": [1, 1]})
    c.fetch("one-level-of-several", "1.11 one level", part, LEVEL2, [bits(x, 0.3) for x in (0.1, 0.5, 0.8, 1.5)], lod=bits(0, 1, 2, 0), sampler=LINEAR,
            note="what counts is how many levels the array was made with")


def neighbours_of_1d(c):
    """Rule 1.13: .1d reads planes at y = 0."""
    row = Spec("f32", "2d", [5, 1], texels=[fs(1.0, 2.0, 4.0, 8.0, 16.0)])
    border = {"border": fs(100.0, 0, 0, 0)}
    points = fs(0.1, 0.3, 0.5, 0.77, 0.999, 1.0, 1.3, -0.2) + [NAN, INF]
    for flt in ("point", "linear"):
        for modes in (["clamp"], ["wrap"], ["mirror"], ["border"], ["border", "clamp"], ["clamp", "border"]):
            c.fetch(f"row-as-1d-{flt}-{'-'.join(modes)}", "1.13; 2", row, P1, points, normalized=True, sampler={"filter": flt, "address": modes, **border})
    c.fetch("row-as-1d-unnormalized", "1.13; 1.3", row, P1, fs(0.0, 0.5, 1.25, 4.5, 9.0, -1.0), sampler=LINEAR)
    c.fetch("row-as-1d-integers", "1.13; 1.9", row, "tex.1d.v4.f32.s32", [0, 4, 5, 0xFFFFFFFF])
    for flt in ("point", "linear"):
        c.fetch(f"row-as-1d-offsets-{flt}", "1.13; 1.4 1D", row, P1, fs(*[0.5] * 6), normalized=True, offsets=[(0,), (1,), (-1,), (7,), (-8,), (16,)],
                sampler={"filter": flt, "address": ["border"], **border})
    c.fetch("row-as-1d-halves", "1.13; 2.6", row, "tex.1d.v2.f16x2.f32", points[:8], normalized=True, sampler=LINEAR)
    c.fetch("row-as-1d-of-codes", "1.13", Spec("u8x4", "2d", [4, 1], ramp=[5, 11]), P1, points[:8], read="normalized", normalized=True, sampler=LINEAR)
    levels = levels_spec("2d", [8, 1])
    at = fs(0.1, 0.35, 0.6, 0.9, 1.2)
    mips = {"filter": "linear", "mip_filter": "linear", "address": ["wrap"]}
    c.fetch("row-as-1d-level", "1.13; 3.2", levels, "tex.level.1d.v4.f32.f32", at, lod=fs(0.0, 0.4, 1.0, 2.6, 9.0), normalized=True, sampler=mips)
    c.fetch("row-as-1d-grad", "1.13; 4.8", levels, "tex.grad.1d.v4.f32.f32", at, dpdx=[[w] for w in fs(0.1, 0.2, 0.3, 0.6, 0.0)], dpdy=[[w] for w in fs(0.05, 0.3, -0.4, 0.1, 0.02)], normalized=True, sampler=mips)
    c.fetch("row-as-1d-base", "1.13; 3.1", levels, "tex.base.1d.v4.f32.f32", at, normalized=True, sampler=mips)
    c.fetch("row-as-1d-of-one-level", "1.13; 1.11 one level", Spec("f32", "2d", [4, 1], ramp=[1, 1], levels=1), "tex.level.1d.v4.f32.f32", fs(0.5, 1.75, 9.0), lod=fs(0, 1, 2), sampler=LINEAR)
    three = fs(0.5, 1.75, 9.0)
    bottom = {"filter": "linear", "address": ["clamp", "border"], **border}
    c.fetch("two-rows-as-1d", "1.13; 2", grid(4, 2), P1, three, sampler=bottom, note="y = 0: half of row 0 and half of row -1")
    c.fetch("pitched-row-as-1d", "1.13", Spec("f32", "2d", [4, 1], ramp=[1, 1], layout="pitch"), P1, three, sampler=LINEAR)
    c.fetch("layer-as-1d", "1.13", Spec("f32", "a1d", [4], layers=1, ramp=[1, 1]), P1, three)
    c.fetch("level-of-height-1-as-1d", "1.13", Spec("f32", "2d", [4, 2], texels=[fs(*range(8)), fs(3, 1)], levels=2, view={"levels": [1, 1]}), P1, fs(0.1, 0.6))
    c.fetch("line-as-2d", "1.13", ramp(4), P2, [bits(x, y) for x in (0.5, 3.5) for y in (-1.0, 0.5, 2.0)], sampler=bottom)


def one_layer(c):
    """Rule 1.13: layers of plain arrays, and instructions of another class."""
    line, plane = Spec("f32", "1d", [5], texels=[fs(1.0, 2.0, 4.0, 8.0, 16.0)]), grid(4, 3)
    layers = (0, 1, 7, 0x7FFFFFFF, 0xFFFFFFFF)
    border = {"border": fs(100.0, 0, 0, 0)}
    for flt in ("point", "linear"):
        for mode in ("clamp", "wrap", "border"):
            sampler = {"filter": flt, "address": [mode], **border}
            c.fetch(f"line-as-a2d-{flt}-{mode}", "1.13; 1.10; 2", line, "tex.a2d.v4.f32.f32", [[l, f(x), f(0.6)] for l in layers for x in (0.1, 0.77, 1.2)], normalized=True, sampler=sampler)
            c.fetch(f"plane-as-a2d-{flt}-{mode}", "1.13; 1.10", plane, "tex.a2d.v4.f32.f32", [[l, f(x), f(0.6)] for l in layers for x in (0.1, 0.77, 1.2)], normalized=True, sampler=sampler)
    c.fetch("line-as-a1d", "1.13", line, "tex.a1d.v4.f32.f32", [[l, f(2.5)] for l in layers], sampler=LINEAR, note="the header of a 1D array is that of a plane")
    c.fetch("gradients-of-1d-compared", "1.13; 9.1", line, "tex.grad.1d.v4.f32.f32", fs(0.5, 3.0), dpdx=[[0]] * 2, dpdy=[[0]] * 2, compare=fs(1.0, 2.0), note="a 1D fetch")
    c.fetch("plane-as-a2d-offset", "1.13; 1.4", plane, "tex.a2d.v4.f32.f32", [[l, f(1.5), f(1.25)] for l in layers], offset=[1, -1], sampler=LINEAR)
    c.fetch("line-as-a1d-integers", "1.13; 1.9", line, "tex.a1d.v4.f32.s32", [[l, x] for l in layers for x in (0, 4, 5)])
    c.fetch("plane-as-a2d-integers", "1.13; 1.9", plane, "tex.a2d.v4.f32.s32", [[l, x, 2] for l in layers for x in (0, 3, 4)])
    c.fetch("plane-as-a2d-gathered", "1.13; 8.2", plane, "tld4.r.a2d.v4.f32.f32", [[l, f(1.2), f(1.7)] for l in layers])
    c.fetch("plane-as-a2d-halves", "1.13; 2.6", plane, "tex.a2d.v4.f16.f32", [[l, f(1.2), f(1.7)] for l in layers], sampler=LINEAR)
    mips = {"filter": "linear", "mip_filter": "linear"}
    for own, size in (("1d", [8]), ("2d", [8, 4])):
        spec, at = levels_spec(own, size), [[l] + fs(0.3, 0.6) for l in layers]
        c.fetch(f"{own}-as-a2d-level", "1.13; 3.2", spec, "tex.level.a2d.v4.f32.f32", at, lod=fs(0.0, 0.4, 1.0, 2.6, 9.0), normalized=True, sampler=mips)
        c.fetch(f"{own}-as-a2d-grad", "1.13; 4.8", spec, "tex.grad.a2d.v4.f32.f32", at, dpdx=[fs(x, 0.01) for x in (0.1, 0.2, 0.3, 0.6, 0.0)],
                dpdy=[fs(0.02, x) for x in (0.05, 0.3, -0.4, 0.1, 0.02)], normalized=True, sampler=mips)
    c.fetch("row-as-a1d", "1.13", Spec("f32", "2d", [4, 1], ramp=[1, 1]), "tex.a1d.v4.f32.f32", [[0, f(1.5)]])
    c.fetch("memory-as-a1d", "1.13; 1.9", Spec("f32", "1d", [4], ramp=[1, 1], layout="linear"), "tex.a1d.v4.f32.s32", [[l, x] for l in (0, 1, 65535, 65536, 0xFFFFFFFF) for x in (3, 4)])
    c.fetch("solid-as-a2d", "1.13", Spec("f32", "3d", [4, 4, 1], ramp=[1, 1]), "tex.a2d.v4.f32.f32", [[0, f(1.5), f(1.5)]])
    c.fetch("one-layer-as-plane", "1.13", Spec("f32", "a2d", [4, 4], layers=1, ramp=[1, 1]), P2, [bits(1.5, 1.5), bits(9.0, 2.5)])
