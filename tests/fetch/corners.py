#!/usr/bin/env python3
"""Makes the corner-*.toml files of this folder: a case or more for every rule of docs/numerics.md.

    corners.py [OUT_DIR]

The inputs are chosen by hand, the answers computed by rules.py (exact fractions, from the text of the
rules) or, where a case gives `expect`, worked out by hand.
"""

import os
import sys
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from casefile import (  # noqa: E402
    INF, LEVEL2, LINEAR, NAN, NINF, ONE, P1, P2, P3, QNAN, File, Spec, bits, flat_levels, fs, grid, level_sizes, levels_spec, ramp,
)
from missed import missed  # noqa: E402
from neighbours import neighbour  # noqa: E402
from rules import channels, f, f32  # noqa: E402
from shared import shared  # noqa: E402


def coordinate():
    c = File("coordinate", "From coordinate to texel: section 1.")
    specials = [NAN, QNAN, 0x7F800001, INF, NINF, 0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x7F7FFFFF, 0xFF7FFFFF]
    for modes in (["clamp"], ["border"], ["wrap"], ["mirror"]):
        for flt in ("point", "linear"):
            for n in (1, 5, 16):
                c.fetch(f"special-{modes[0]}-{flt}-{n}", "1; 1.1; 1.12; 1.7", ramp(n), P1, specials, normalized=True,
                        sampler={"filter": flt, "address": modes, "border": fs(-7.0, 0, 0, 0)},
                        note="NaN, infinite, zero, subnormal, huge coordinates")
    c.fetch("nan-in-one-axis", "1.1", grid(4, 3), P2, [[NAN, f(1.5)], [f(2.5), QNAN], [NAN, NAN]], sampler=LINEAR)
    c.fetch("just-below-a-texel", "1.2", ramp(16), P1,
            [f(k / 16) for k in range(-2, 19)] + [f(k / 16) - 1 for k in range(1, 17)], normalized=True, sampler={"address": ["wrap"]})
    c.fetch("other-sizes-floor-to-21-bits", "1.2", ramp(25), P1,
            [f(k / 25) + d for k in range(1, 26) for d in (-1, 0, 1)] + [f(-k / 25) + d for k in (1, 2, 7) for d in (-1, 0, 1)],
            normalized=True, sampler={"address": ["wrap"]}, note="the float just above 0.04 reads texel 0")
    for n in (3, 1000, 20000, 131071):
        c.fetch(f"edges-of-{n}-texels", "1.2; 1.6", ramp(n), P1,
                [f(k / n) + d for k in (1, n // 2, n - 1, n) for d in (-1, 0, 1)] + fs(-1e-7, 1.0 + 2e-7), normalized=True,
                sampler={"filter": "linear", "address": ["mirror"]})
    c.fetch("unnormalized", "1.3; 1.5", ramp(20), P1, fs(0.0, 0.5, 0.99999994, 1.0, 19.999998, 20.0, -0.001, -1.0, 7.25))
    for n, geometry, op in ((16384, "1d", P1), (131072, "1d", P1), (65536, "1d", P1), (100000, "1d", P1)):
        for normalized in (False, True):
            scale = n if normalized else 1
            points = [0.0, 0.5, 1.5, n - 0.5, n - 1.0, n, n + 1.0, n / 2 + 0.25, -1.0, 12345.678, 0.501953125, n - 0.498]
            c.fetch(f"large-{n}-{normalized}", "1.2; 1.3; 1.6", ramp(n), op, [f(p / scale) for p in points], normalized=normalized,
                    sampler={"filter": "linear", "address": ["wrap" if normalized else "clamp"]})
    c.fetch("large-2d", "1.2; 1.6", Spec("u16", "2d", [16385, 3], ramp=[7, 13]), P2,
            [bits(x, y) for x in (0.0, 0.25, 0.5, 0.99999994, 1.0, -0.00003) for y in (0.1, 0.5, 0.9)], read="normalized", normalized=True,
            sampler={"filter": "linear", "address": ["mirror", "wrap"]})
    c.fetch("large-layers", "1.10", Spec("u8", "a2d", [8, 8], layers=2048, ramp=[0, 3]), "tex.a2d.v4.u32.f32",
            [[l, f(x), f(y)] for l in (0, 1, 2046, 2047, 2048, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF) for x, y in ((0.5, 7.5), (3.5, 2.5))])
    # 1.4
    g = grid(9, 5)
    for mode in ("clamp", "wrap", "mirror", "border"):
        for flt in ("point", "linear"):
            c.fetch(f"offsets-{mode}-{flt}", "1.4", g, P2, [bits(0.55, 0.3)] * 10, normalized=True,
                    offsets=[(0, 0), (-1, 2), (7, -8), (-8, 7), (8, 9), (-9, -10), (15, -16), (16, 17), (-3, 0), (0x7FFFFFFF, -0x80000000)],
                    sampler={"filter": flt, "address": [mode], "border": fs(-9.0, 0, 0, 0)})
    c.fetch("offset-after-the-limit", "1.4; 1.6", ramp(8), P1, fs(-100.0, 100.0, 0.25, 3.3), offset=[3], sampler=LINEAR,
            note="the offset is added before clamp limits the coordinate")
    c.fetch("offset-without-rounding", "1.4", ramp(16), P1, [0x2F800000, 0xAF800000, 0x33000000, 0xB3000000], offset=[4], sampler={},
            note="u is floored, then 4 is added: a tiny negative u is texel -1 + 4")
    c.fetch("offset-3d", "1.4", Spec("f32", "3d", [4, 3, 5], ramp=[1, 1]), P3, [bits(1.5, 1.5, 2.5), bits(0.3, 2.9, 4.9), bits(-3.0, 1.0, 7.0)],
            offset=[1, -2, 3], sampler=LINEAR)
    for flt in ("point", "linear"):
        c.fetch(f"offset-1d-row-{flt}", "1.4 1D", ramp(16), P1, [f(0.5)] * 16 + [f(0.03)] * 4, normalized=True,
                offsets=[[e] for e in (0, 1, 7, -1, -2, -8, 8, -9, 15, 16, 17, -16, -17, 127, 128, -128, 0, 1, 8, -8)],
                sampler={"filter": flt, "address": ["border"], "border": fs(-5.0, 0, 0, 0)}, note="each is four bits")
        c.fetch(f"offset-a1d-{flt}", "1.4 a1d", Spec("f32", "a1d", [16], layers=2, ramp=[1, 1]), "tex.a1d.v4.f32.f32",
                [[l, f(x)] for l in (0, 1, 9) for x in (8.5, 0.75, 15.25)], offset=[-2],
                sampler={"filter": flt, "address": ["border"], "border": fs(-5.0, 0, 0, 0)}, note="a layer has no row to leave")
    # 1.5, 1.6: weights
    near = [k / 512 + 3.5 for k in range(-3, 4)] + [3.5 + 511 / 512, 3.5 + 1023 / 1024, 4.498046875, 4.49804783, 4.4980464]
    c.fetch("weights-and-carry", "1.6", ramp(16, 256), P1, [f(x) for x in near], sampler=LINEAR,
            note="halves of 1/256 round up; 256 carries into the index")
    c.fetch("every-weight", "1.6; 2", Spec("f32", "2d", [2, 1], texels=[[0, f(256.0)]]), P2, [bits(0.5 + k / 256, 0.5) for k in range(256)],
            sampler=LINEAR)
    c.fetch("carry-at-the-border", "1.6; 1.7", ramp(4), P1, fs(3.499, 3.5, 3.9990234, 4.0, 4.4980469, 4.499, 4.5, -0.4990234, -0.4980469, -0.5),
            sampler={"filter": "linear", "address": ["border"], "border": fs(64.0, 0, 0, 0)})
    c.fetch("point-floors", "1.5", ramp(5), P1, [f(2.0), f(2.0) - 1, f(2.0) + 1, f(4.9999995), f(-0.5), 0x80000000, f(1e9), f(-1e9), f(3e9)])
    for n in (1, 2, 3, 7):
        for mode in ("clamp", "wrap", "mirror", "border"):
            for flt in ("point", "linear"):
                c.fetch(f"modes-{mode}-{flt}-{n}", "1.7", Spec("f32", "2d", [n, 3], ramp=[1, 1]), P2,
                        [bits(k / 4 + 0.06, 0.4) for k in range(-10, 14)], normalized=True,
                        sampler={"filter": flt, "address": [mode, "mirror"], "border": fs(-3.0, 0, 0, 0)})
    for flt in ("point", "linear"):
        c.fetch(f"clamp-ogl-{flt}", "1.7 clamp_ogl", ramp(4), P1, fs(-5.0, -0.5, 0.0, 0.25, 0.5, 2.0, 3.5, 3.75, 4.0, 4.5, 99.0) + [NAN, INF, NINF],
                sampler={"filter": flt, "address": ["clamp_ogl", "clamp"], "border": fs(65.0, 0, 0, 0)})
    c.fetch("wrap-clamps-unnormalized", "1.8", grid(4, 3), P2, [bits(x, y) for x in (-1.5, 2.5, 5.5) for y in (-0.5, 1.5, 3.5)],
            sampler={"filter": "linear", "address": ["wrap", "mirror"]})
    c.fetch("forced-unnormalized", "1.8", grid(4, 3), P2, [bits(x, y) for x in (-1.5, 0.5, 2.25, 5.5) for y in (0.5, 3.5)], normalized=True,
            sampler={"filter": "linear", "address": ["wrap", "border"], "border": fs(-1.0, 0, 0, 0), "force_unnormalized": True})
    c.fetch("integers-ignore-the-sampler", "1.9", grid(4, 3), "tex.2d.v4.f32.s32",
            [[0, 0], [3, 2], [4, 0], [0, 3], [0xFFFFFFFF, 0], [0, 0x80000000], [0x7FFFFFFF, 1], [1, 1]], normalized=True,
            sampler={"filter": "linear", "address": ["border"], "border": fs(9.0, 9.0, 9.0, 9.0)})
    c.fetch("integers-a2d", "1.9; 1.10", Spec("u8x4", "a2d", [3, 2], layers=3, ramp=[1, 1]), "tex.a2d.v4.u32.s32",
            [[l, x, y] for l in (0, 2, 3, 0xFFFFFFFF) for x, y in ((0, 0), (2, 1), (3, 0), (1, 2))])
    lv = levels_spec("2d", [5, 3])
    c.fetch("integers-of-levels", "1.9 levels; 3.2", lv, "tex.level.2d.v4.f32.s32", [[x, 0] for x in (0, 4, 2, 0, 1, 0, 0, 4)],
            lod=[0, 0, 1, 2, 2, 3, 0xFFFFFFFF, 0x80000000], sampler={"mip_filter": "linear"}, note="a level that is not there reads 0; the coordinates are clamped to that of the others")
    c.fetch("integers-with-offsets", "1.9; 1.4", grid(9, 9), "tex.2d.v4.f32.s32", [[1, 1], [8, 8], [0, 4], [7, 7]], offset=[1, -2])
    c.fetch("integers-have-no-row", "1.9; 1.4 1D; 1.13", Spec("f32", "a1d", [8], layers=2, ramp=[1, 1]), "tex.1d.v4.f32.s32", [4, 4, 4, 4, 4], offsets=[[0], [3], [-1], [-8], [8]],
            note="integer coordinates are a 1D fetch, which reads layer 0 of a layered 1D array")
    c.fetch("integers-under-level-clamps", "1.9 levels", lv, "tex.level.2d.v4.f32.s32", [[0, 0]] * 4, lod=[0, 1, 2, 9],
            sampler={"mip_filter": "linear", "min": f(0.75), "max": f(1.25)}, note="clamps have no effect on a level that is named")
    c.fetch("last-layer", "1.10", Spec("f32", "a1d", [4], layers=3, ramp=[1, 1]), "tex.a1d.v4.f32.f32",
            [[l, f(1.5)] for l in (0, 1, 2, 3, 4, 1000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF)], sampler=LINEAR)
    c.fetch("mipmapped-is-normalized", "1.11", lv, LEVEL2, [bits(x, 0.3) for x in (-0.4, 0.0, 0.1, 0.5, 0.99, 1.4)], lod=bits(0, 0.5, 1, 1.5, 2, 0),
            sampler={"filter": "linear", "mip_filter": "linear", "address": ["wrap", "mirror"]}, note="wrap and mirror act as clamp")
    return c


def cells(format, w, h, codes, **more):
    return Spec(format, "2d", [w, h], texels=[codes], **more)


def filtering():
    c = File("filter", "Weights, sums, values and border colours: sections 2, 5 and 6.")
    points = [bits(x, y) for x in (0.5, 0.75, 1.0, 1.25, 1.498, 1.5) for y in (0.5, 0.625, 1.0, 1.4)]
    every = [bits(0.5 + a / 256, 0.5 + b / 256) for a in (0, 1, 2, 127, 128, 129, 254, 255) for b in (0, 1, 127, 128, 255)]
    c.fetch("weights-2d", "2", cells("f32", 2, 2, fs(1.0, 256.0, 65536.0, 16777216.0)), P2, every, sampler=LINEAR)
    c.fetch("weights-3d", "2", Spec("f32", "3d", [2, 2, 2], texels=[fs(*[2.0 ** (3 * k) for k in range(8)])]), P3,
            [bits(0.5 + a / 256, 0.5 + b / 256, 0.5 + d / 256) for a in (0, 1, 85, 255) for b in (0, 3, 128, 255) for d in (0, 1, 100, 255)],
            sampler=LINEAR, note="z rounds the lower part, x the upper, y by side")
    c.fetch("fraction-0-is-not-read", "2; 2.4", cells("f32", 2, 2, [f(3.0), NAN, INF, NINF]), P2,
            [bits(0.5, 0.5), bits(0.5 + 1 / 1024, 0.5), bits(0.5, 0.5 + 1 / 1024), bits(0.5 + 1 / 256, 0.5)], sampler=LINEAR)
    c.fetch("weights-vanish", "2; 2.4", cells("f32", 2, 2, fs(1.0, 2.0, 3.0) + [NAN]), P2,
            [bits(0.5 + a / 256, 0.5 + b / 256) for a, b in ((1, 1), (1, 127), (1, 128), (2, 64), (8, 15), (8, 16), (11, 11), (12, 11))], sampler=LINEAR,
            note="w11 = rhu(a b / 256) is 0 for small a and b, but the NaN is read")
    c.fetch("row-of-1d-under-border", "2; 1.7", ramp(4), P1, fs(0.5, 1.0, 2.25, 3.5, 4.0, 4.6), normalized=False,
            sampler={"filter": "linear", "address": ["border"], "border": fs(100.0, 0, 0, 0)}, note="half of every result is border")
    c.fetch("row-of-1d-under-clamp", "2", ramp(4), P1, fs(-1.0, 0.5, 1.0, 2.25, 3.5, 4.6),
            sampler={"filter": "linear", "address": ["border", "clamp"], "border": fs(100.0, 0, 0, 0)})
    c.fetch("a1d-is-true-1d", "2", Spec("f32", "a1d", [4], layers=2, ramp=[1, 1]), "tex.a1d.v4.f32.f32", [[1, f(x)] for x in (0.5, 1.0, 3.5, 4.0)],
            sampler={"filter": "linear", "address": ["border"], "border": fs(100.0, 0, 0, 0)})
    c.fetch("all-border", "2; 6", cells("u8x4", 2, 2, list(range(16))), P2, [bits(-5.0, 0.5), bits(9.0, 9.0), bits(-0.5, 1.0), bits(0.0, 0.5)], read="normalized",
            sampler={"filter": "linear", "address": ["border"], "border": fs(0.25, 0.5, 0.75, 2.0)})
    # Floats.
    small, tiny = 0x00000001, 0x007FFFFF
    c.fetch("subnormal-texels", "2.1; 2.3", cells("f32", 2, 2, [small, 0x80000000 | tiny, tiny, 0x00800000]), P2, points, sampler=LINEAR)
    c.fetch("subnormal-texels-alone", "2.1; 2.3", cells("f32", 2, 2, [0x80000001, 0x80000000, 0x807FFFFF, 0x80000000]), P2, points, sampler=LINEAR,
            note="a subnormal reads as a zero of its sign, and all are -0")
    c.fetch("subnormal-results", "2.2", cells("f32", 2, 2, [0x00800000, 0, 0x80800000, 0x00FFFFFF]), P2, every, sampler=LINEAR)
    c.fetch("zeros", "2.3", cells("f32", 2, 2, [0x80000000, 0x80000000, 0, 0x80000000]), P2, points, sampler=LINEAR)
    c.fetch("cancel", "2.3", cells("f32", 2, 2, fs(1.5, -1.5, -1.5, 1.5)), P2, points, sampler=LINEAR)
    c.fetch("infinities", "2.4", cells("f32", 3, 1, [INF, f(1.0), NINF]), P2, [bits(x, 0.5) for x in (0.5, 0.75, 1.25, 1.5, 1.75, 2.25, 2.5)], sampler=LINEAR)
    c.fetch("both-infinities", "2.4", cells("f32", 2, 2, [INF, NINF, f(0.0), INF]), P2, points, sampler=LINEAR)
    c.fetch("nans", "2.4", cells("f32", 2, 2, [0x7F800001, 0xFFC12345, f(0.0), f(1.0)]), P2, points, sampler=LINEAR)
    c.fetch("nans-f16", "2.4", cells("f16", 2, 2, [0x7C01, 0xFE00, 0, 0x3C00]), P2, points, sampler=LINEAR)
    c.fetch("infinities-f16", "2.4", cells("f16", 2, 2, [0x7C00, 0x3C00, 0xFC00, 0]), P2, points, sampler=LINEAR)
    c.fetch("truncation-f32", "2", cells("f32", 2, 2, [f(1.0), 0x33FFFFFF, 0xB37FFFFF, 0x4B7FFFFF]), P2, every, sampler=LINEAR)
    c.fetch("truncation-f32-negative", "2", cells("f32", 2, 2, [f(-1.0), 0xB3FFFFFF, 0x32000001, 0xBF7FFFFF]), P2, every, sampler=LINEAR)
    c.fetch("ties-away", "2", cells("f32", 2, 1, [0x3F800000, 0x3F800001]), P2, [bits(0.5 + k / 256, 0.5) for k in (1, 127, 128, 129)], sampler=LINEAR)
    c.fetch("ties-away-negative", "2", cells("f32", 2, 1, [0xBF800000, 0xBF800001]), P2, [bits(0.5 + k / 256, 0.5) for k in (1, 127, 128, 129)], sampler=LINEAR)
    c.fetch("large-and-small", "2", cells("f32", 2, 2, [0x7F7FFFFF, 0x00800000, 0xFF7FFFFF, 0x7F7FFFFF]), P2, every, sampler=LINEAR)
    c.fetch("slices-of-3d", "2", Spec("f32", "3d", [2, 2, 2], texels=[fs(1e20, -1e20, 3.0, 1e-10, 7.0, 1e-20, -2.5, 1e10)]), P3,
            [bits(x, 1.0, z) for x in (0.6, 1.0) for z in (0.5, 0.75, 1.0, 1.5)], sampler=LINEAR, note="each slice has its own exponent")
    c.fetch("f16-sums", "2", cells("f16", 2, 2, [0x3C00, 0x3C01, 0xBC03, 0x7BFF]), P2, every, sampler=LINEAR)
    c.fetch("f16-subnormals", "2.5; 2", cells("f16", 2, 2, [0x0001, 0x8003, 0x03FF, 0x0400]), P2, every, sampler=LINEAR, note="kept")
    c.fetch("f16-subnormals-cancel", "2.5; 2.3", cells("f16", 2, 2, [0x0001, 0x8001, 0x8000, 0x8000]), P2, every, sampler=LINEAR)
    # Normalized.
    for format, codes in (("u8", [0, 255, 1, 128]), ("u16", [0, 65535, 1, 32768]), ("s8", [0x80, 0x81, 0x7F, 0xFF]), ("s16", [0x8000, 0x8001, 0x7FFF, 0xFFFF])):
        c.fetch(f"linear-{format}", "2", cells(format, 2, 2, codes), P2, every, read="normalized", sampler=LINEAR)
        c.fetch(f"point-{format}", "2", cells(format, 2, 2, codes), P2, [bits(x, y) for x in (0.5, 1.5) for y in (0.5, 1.5)], read="normalized")
    for format, codes in (("unorm8x2", [0, 255, 1, 128, 7, 9, 200, 100]), ("snorm16", [0x8000, 0x8001, 0x7FFF, 0xFFFF]), ("snorm8", [0x80, 0x81, 0x7F, 0xFF]), ("unorm16", [0, 65535, 1, 32768])):
        c.fetch(f"linear-{format}", "2", cells(format, 2, 2, codes), P2, every[::3], read="normalized", sampler=LINEAR)
    c.fetch("linear-rgb10a2", "2", cells("rgb10a2", 2, 2, [0xFFFFFFFF, 0x40100401, 0x80080200, 0x00000000]), P2, every[::3], sampler=LINEAR)
    every_code = [[k, 0] for k in range(256)]
    c.fetch("every-snorm8-code", "2", cells("s8", 256, 1, list(range(256))), "tex.2d.v4.f32.s32", every_code, read="normalized")
    c.fetch("every-unorm8-code", "2", cells("u8", 256, 1, list(range(256))), "tex.2d.v4.f32.s32", every_code, read="normalized")
    c.fetch("point-keeps-bits", "2", Spec("f32", "1d", [8], texels=[[1, 0x807FFFFF, 0x7F800001, 0xFFC12345, 0x7FFFFFFF, INF, NINF, 0x80000000]]), P1,
            [f(k + 0.5) for k in range(8)])
    c.fetch("point-widens-halves", "2", Spec("f16", "1d", [8], texels=[[1, 0x83FF, 0x7C01, 0xFE00, 0x7FFF, 0x7C00, 0xFC00, 0x8000]]), P1, [f(k + 0.5) for k in range(8)])
    c.fetch("point-extends-integers", "2", Spec("s16x2", "1d", [3], texels=[[0x8000, 0x7FFF, 0xFFFF, 1, 0, 0xFF80]]), "tex.1d.v4.s32.f32", fs(0.5, 1.5, 2.5))
    c.fetch("missing-channels", "2", Spec("f32x2", "1d", [2], ramp=[3, 1]), P1, fs(0.5, 1.0, 1.5), sampler={"filter": "linear", "border": fs(9, 9, 9, 9)})
    # Results as halves.
    odd = [0x3F801000, 0x3F803000, 0x3F801001, 0x477FEFFF, 0x477FF000, 0x33000000, 0x33000001, 0x387FF000, 0x7F7FFFFF, 0xC77FF000, INF, 0x80000000]
    row = cells("f32", len(odd), 1, odd)
    c.fetch("f16-results", "2.6", row, "tex.2d.v4.f16.s32", every_code[: len(odd)], note="ties to even")
    four = cells("f32x4", 3, 1, odd)
    c.fetch("f16x2-results", "2.6", four, "tex.2d.v2.f16x2.s32", every_code[:4])
    c.fetch("f16-of-nan", "2.6", Spec("f32", "1d", [2], texels=[[0x7FC00000, f(1.0)]]), "tex.1d.v4.f16.f32", fs(1.0), sampler=LINEAR,
            note="the filter's NaN, 0x7fffffff, is 0x7fff as f16")
    nans = cells("f32", 4, 1, [0x7F800001, 0xFFC12345, 0x7FBFFFFF, 0xFF802000])
    c.fetch("f16-of-payloads", "2.6", nans, "tex.2d.v4.f16.s32", every_code[:4], note="a NaN becomes quiet, and keeps its sign and the top of its payload")
    c.fetch("f16-of-integers", "2.6", cells("u32", 3, 1, [ONE, 0x477FE000, 7]), "tex.2d.v4.f16.s32", every_code[:3], note="the word is taken for an f32")
    # sRGB.
    s = {"filter": "linear", "srgb": True}
    codes = [0, 1, 7, 8, 9, 10, 11, 12, 100, 127, 128, 200, 254, 255, 250, 3]
    c.fetch("srgb-every-code", "5; 5.1", Spec("u8", "1d", [256], texels=[list(range(256))]), P1, [f(k + 0.5) for k in range(256)], read="normalized", sampler={"srgb": True})
    c.fetch("srgb-alpha-is-linear", "5; 5.1", Spec("u8x4", "1d", [4], texels=[codes]), P1, fs(0.5, 1.5, 2.5, 3.5), read="normalized", sampler={"srgb": True})
    c.fetch("srgb-green-of-two-is-linear", "5; 5.1", Spec("u8x2", "1d", [8], texels=[codes]), P1, [f(k + 0.5) for k in range(8)], read="normalized", sampler={"srgb": True})
    c.fetch("srgb-blend", "5.2", cells("u8x4", 2, 2, codes), P2, every, read="normalized", sampler=s)
    c.fetch("srgb-blend-dark", "5.2", cells("u8", 2, 2, [0, 1, 2, 3]), P2, every, read="normalized", sampler=s)
    c.fetch("srgb-blend-of-slices", "5.2", Spec("u8", "3d", [2, 2, 2], texels=[[0, 1, 2, 3, 250, 255, 8, 9]]), P3,
            [bits(x, 0.75, z) for x in (0.5, 0.9, 1.25) for z in (0.5, 0.7, 1.3)], read="normalized", sampler=s)
    c.fetch("srgb-flag-elsewhere", "5", cells("u16", 2, 2, [0, 100, 30000, 65535]), P2, points, read="normalized", sampler=s, note="it acts on 8 bits only")
    c.fetch("srgb-flag-on-integers", "5", cells("u8", 2, 2, [0, 100, 200, 255]), "tex.2d.v4.u32.f32", points, sampler={"srgb": True})
    for i, value in enumerate(fs(0.0, 0.001, 0.0031308, 0.01, 0.2140411, 0.5, 0.735, 1.0, 1.5, -0.5) + [NAN, INF]):
        c.fetch(f"srgb-border-{i}", "5.3", cells("u8x4", 1, 1, [1, 2, 3, 4]), P2, [bits(-4.0, 0.5)], read="normalized",
                sampler={"srgb": True, "address": ["border"], "border": [value] * 4})
    # Border colours.
    odd = [0x7F800001, 0x7FC02000, 0xFFC12345, 0x477FF000, 0x477FEFFF, 0x80000000, 1, 0x33000000, INF, NINF, f(65536.0), f(-1e10)]
    for i in range(0, len(odd), 4):
        for format in ("f32x4", "f16x4"):
            c.fetch(f"border-{format}-{i}", "6", cells(format, 1, 1, [0] * 4), P2, [bits(-4.0, 0.5)], sampler={"address": ["border"], "border": odd[i : i + 4]})
    scaled = fs(0.5, -0.5, 0.25, 0.99999994, 0.001, 0.00390625, 0.0019, 0.00195, 1.0, 1.0000001, -1.5, 0.75) + [NAN, INF, NINF, 1]
    for i in range(0, len(scaled), 4):
        for format in ("u8x4", "s8x4", "u16x4", "s16x4", "rgb10a2"):
            texels = [0] * (1 if format == "rgb10a2" else 4)
            c.fetch(f"border-{format}-{i}", "6", cells(format, 1, 1, texels), P2, [bits(-4.0, 0.5)], read="element" if format == "rgb10a2" else "normalized",
                    sampler={"address": ["border"], "border": scaled[i : i + 4]})
    ints = [0x12345680, 0xFFFFFFFF, 0x0000FF7F, f(1.0)]
    for format, result in (("u8x4", "u32"), ("s8x4", "s32"), ("u16x4", "u32"), ("s16x4", "s32"), ("u32x4", "u32"), ("s32x4", "s32")):
        c.fetch(f"border-{format}-element", "6", cells(format, 1, 1, [0] * 4), f"tex.2d.v4.{result}.f32", [bits(-4.0, 0.5)],
                sampler={"address": ["border"], "border": ints})
    c.fetch("border-of-a-missing-channel", "6; 2", cells("f32", 1, 1, [f(3.0)]), P2, [bits(-4.0, 0.5)], sampler={"address": ["border"], "border": fs(1, 2, 3, 4)})
    return c


def levels():
    c = File("level", "Mip levels and gradients: sections 3 and 4.")
    lv = levels_spec("2d", [8, 4])
    at = bits(0.3, 0.6)
    half = {"filter": "linear", "mip_filter": "linear", "max": f(100.0)}
    for op in ("tex.2d.v4.f32.f32", "tex.base.2d.v4.f32.f32"):
        c.fetch(f"no-level-{op[:8]}", "3.1", lv, op, [at, bits(0.0, 1.0)], sampler={**half, "bias": f(1.5)}, note="no bias")
        c.fetch(f"no-level-clamped-{op[:8]}", "3.1; 3.3", lv, op, [at, bits(0.0, 1.0)], sampler={**half, "bias": f(-1.5), "min": f(1.25)})
    lods = fs(0, 1, 0.5, 0.00390625, 0.0039, 0.99609375, 0.9999, 1.998, 2.5, 2.999, 3.0, 3.5, 100.0, -0.5, -100.0, 1e30, -1e30) + [NAN, QNAN, INF, NINF, 0x80000000, 1]
    for mip in ("point", "linear"):
        for flt in ("point", "linear"):
            s = {"filter": flt, "mip_filter": mip}
            c.fetch(f"levels-{flt}-{mip}", "3.2; 3.3; 3.4; 3.5", lv, LEVEL2, [at] * len(lods), lod=lods, sampler=s, note="a NaN level is 0")
            for bias in (0.3, -0.3, 0.0039, 16.0):
                c.fetch(f"bias-{bias}-{flt}-{mip}", "3.2", lv, LEVEL2, [at] * 11, lod=lods[:11], sampler={**s, "bias": f(bias)},
                        note="lod and bias are cut to 1/256, each by itself")
            for mn, mx in ((1.25, 2.0), (0.999, 1.001), (2.5, 0.5), (100.0, 200.0), (-3.0, -2.0), (0.0, 0.5)):
                c.fetch(f"clamps-{mn}-{mx}-{flt}-{mip}", "3.3", lv, LEVEL2, [at] * 17, lod=lods[:17], sampler={**s, "min": f(mn), "max": f(mx)})
    for word in (NAN, INF, NINF, f(15.99), f(16.0), f(-16.5), f(1e30)):
        for a in (1, 2, 8):
            c.fetch(f"bias-of-{word:08x}-{a}", "3.2; 3.6", lv, LEVEL2, [at] * 7, lod=fs(-17.0, -16.0, -14.7, -13.9, 0.0, 14.6, 18.0), sampler={**half, "bias": word, "max_anisotropy": a})
        c.fetch(f"clamps-of-{word:08x}", "3.3", lv, LEVEL2, [at] * 3, lod=fs(0.0, 1.25, 9.0), sampler={**half, "min": word})
        c.fetch(f"clamps-below-{word:08x}", "3.3", lv, LEVEL2, [at] * 3, lod=fs(0.0, 1.25, 9.0), sampler={**half, "max": word})
    c.fetch("point-level-rounds", "3.4", lv, LEVEL2, [at] * 7, lod=fs(0.496, 0.498, 0.5, 1.4999, 1.5, 2.498, 2.5), sampler={"mip_filter": "point"})
    u8 = Spec("u8", "2d", [2, 2], texels=[[10, 11, 12, 13], [251]], levels=2)
    c.fetch("blend-of-points-is-a-sum", "3.5", u8, LEVEL2, [bits(0.1, 0.1)] * 4, lod=fs(0.0, 1 / 256, 0.5, 1.0), read="normalized",
            sampler={"mip_filter": "linear"}, note="levels of weight 0 are not read")
    nan = Spec("f32", "2d", [2, 2], texels=[[NAN] * 4, fs(5.0)], levels=2)
    c.fetch("level-of-weight-0", "3.4; 2.4", nan, LEVEL2, [bits(0.5, 0.5)] * 3, lod=fs(1.0, 0.999, 0.0), sampler=half)
    c.fetch("levels-of-other-magnitudes", "3.5; 2", Spec("f32", "2d", [2, 2], texels=[fs(1e10, -3.0, 1e-10, 77.0), fs(1e-3)], levels=2), LEVEL2,
            [bits(0.4, 0.7)] * 5, lod=fs(0.1, 0.3, 0.5, 0.7, 0.9), sampler=half)
    c.fetch("one-level-of-many-axes", "3.5", levels_spec("3d", [5, 2, 3]), "tex.level.3d.v4.f32.f32", [bits(x, 0.4, 0.7) for x in (0.1, 0.5, 0.9)] * 3,
            lod=fs(0, 0, 0, 0.5, 0.5, 0.5, 1.75, 1.75, 9), sampler=half)
    c.fetch("levels-of-layers", "3.5; 1.10", levels_spec("a2d", [4, 4], layers=3), "tex.level.a2d.v4.f32.f32", [[l, f(0.3), f(0.8)] for l in (0, 1, 2, 9)] * 2,
            lod=fs(0, 0.5, 1, 2, 1.5, 1.5, 0.25, 0.25), sampler=half)
    for a in (1, 2, 3, 4, 7, 8, 15, 16, 100):
        for mip in ("linear", "point"):
            c.fetch(f"sharpened-{a}-{mip}", "3.6", lv, LEVEL2, [at] * 14, lod=fs(0, 0.1, 0.165, 0.17, 0.2143, 0.22, 0.25, 0.26, 0.5, 0.7, 0.84, 0.999, 1.3, -0.1),
                    sampler={"filter": "linear", "mip_filter": mip, "max_anisotropy": a, "bias": f(0.1)})
    c.fetch("sharpened-below-0", "3.6; 3.3", lv, LEVEL2, [at] * 6, lod=fs(-3.0, -0.6, -0.3, 0.0, 5.0, 2.4), sampler={**half, "max_anisotropy": 4, "bias": f(-0.4)})
    g = grid(4, 4)
    c.fetch("levels-without-mipmaps", "3.7", g, LEVEL2, [bits(0.5, 1.5)] * 4, lod=fs(0, 1.5, -2.0, 100.0), sampler={**half, "min": f(2.0), "bias": f(1.0)})
    zero = [bits(0.0, 0.0)] * 3
    c.fetch("gradients-without-mipmaps", "3.7", g, "tex.grad.2d.v4.f32.f32", [bits(0.5, 1.5)] * 3, dpdx=[bits(9.0, 0.0), [INF, 0], [NAN, NAN]], dpdy=zero, sampler=half)

    # Gradients. Each level of one colour: the result is the level that was read.
    flat = flat_levels("2d", [256, 64])

    def grad(name, cites, spec, dpdx, dpdy, note=None, **sampler):
        geometry = spec.geometry
        n = {"1d": 1, "3d": 3}.get(geometry, 2)
        point = bits(*[0.4, 0.3, 0.6][:n])
        c.fetch(name, cites, spec, f"tex.grad.{geometry}.v4.f32.f32", [point] * len(dpdx), dpdx=dpdx, dpdy=dpdy, note=note, normalized=True,
                sampler={**half, **sampler})

    strange = [bits(0.02, 0.01), [NAN, f(0.1)], [f(0.03), QNAN], [INF, 0], [0, NINF], [NAN, INF], bits(0, 0), [1, 0x80000001], bits(3e38, 1.0), bits(1e-30, 0)]
    usual = [bits(0.01, 0.002)] * len(strange)
    for bias in (0.0, 2.0, -3.0):
        grad(f"strange-gradients-{bias}", "4.1; 4.8", flat, strange, usual, bias=f(bias))
        grad(f"strange-second-gradients-{bias}", "4.1; 4.8", flat, usual, strange, bias=f(bias))
        grad(f"no-gradient-{bias}", "4.7; 4.8", flat, [bits(0, 0)], [bits(0, 0)], bias=f(bias), note="level 0 even with a positive bias")
        grad(f"no-gradient-min-{bias}", "4.7; 4.8", flat, [bits(0, 0)], [bits(0, 0)], bias=f(bias), min=f(1.5))
        grad(f"infinite-max-{bias}", "4.1; 4.8", flat, [[INF, 0]], [bits(0, 0)], bias=f(bias), max=f(2.25))
    for size in ([255, 255], [257, 511], [1000, 600], [1025, 1], [1536, 3]):
        spec = Spec("f32", "2d", size, ramp=[0, 1], levels=len(level_sizes(size)))
        flat_odd = flat_levels("2d", size)
        steps = [bits(a, b) for a, b in ((0.001, 0.0), (0.00731, 0.0031), (0.1234567, -0.02), (-0.03, 0.5), (0.0, 0.77))]
        grad(f"scale-by-{size[0]}-{size[1]}", "4.2; 4.3; 4.6", flat_odd, steps, [bits(0.0, 0.0)] * 5)
        grad(f"both-by-{size[0]}-{size[1]}", "4.2; 4.4; 4.5; 4.6", flat_odd, steps, steps[::-1])
    pairs = [(0.3, 0.3), (0.3, 0.1), (0.25, 0.2499), (0.1, 0.0001), (0.511, 0.017), (0.9990234, 0.5), (0.7, 0.69)]
    grad("lengths", "4.3; 4.6", flat, [bits(a, 4 * b) for a, b in pairs], [bits(0, 0)] * len(pairs))
    grad("diagonals", "4.4; 4.5; 4.6", flat, [bits(a, 4 * b) for a, b in pairs], [bits(a, -3.9 * b) for a, b in pairs])
    grad("equal-gradients", "4.4; 4.5", flat, [bits(a, 4 * b) for a, b in pairs], [bits(a, 4 * b) for a, b in pairs], note="the difference is 0, the sum double")
    powers = [bits(2.0 ** k / 256, 0.0) for k in range(-2, 10)]
    grad("powers-of-two", "4.7", flat, powers, [bits(0, 0)] * 12, note="level k, exactly")
    grad("table", "4.7", flat, [bits((1 + k / 32) / 64, 0.0) for k in range(32)], [bits(0, 0)] * 32)
    grad("bias-and-clamps", "4.8", flat, powers, powers[::-1], bias=f(-0.75), min=f(0.5), max=f(5.5))
    grad("nearest-level", "4.8; 3.4", flat, powers, powers[::-1], mip_filter="point")
    line = flat_levels("1d", [1000])
    grad("gradients-1d", "4.8; 4.2", line, [[f(x)] for x in (0.001, 0.0123, -0.5, 0.0, 2.0)], [[f(x)] for x in (0.0, -0.01, 0.5, 0.0, 0.3)])
    box = flat_levels("3d", [64, 16, 20])
    d3 = [bits(0.1, 0.02, 0.03), bits(-0.3, 0.1, 0.2), bits(0, 0, 0), [NAN, 0, 0], [INF, 0, 0], bits(2e29, 0, 0), bits(1e-9, 0, 0), bits(0.05, 0.2, -0.11), bits(0.011, 0.013, 0.017)]
    grad("gradients-3d", "4.9; 4.10", box, d3, [bits(0.01, 0.0, 0.02)] * len(d3))
    grad("gradients-3d-both", "4.9; 4.10", box, d3, d3[::-1])
    c.fetch("quad-of-3d", "4.9", box, "tex.grad.3d.v4.f32.f32", [bits(1e8, 0.5, 0.5), bits(-3e4, 0.5, 0.5), [NAN, f(0.5), f(0.5)], [INF, 0, 0], bits(2e29, 0, 0), bits(1.5e29, 0, 0), bits(0.3, 0.3, 0.3)],
            dpdx=[bits(0.1, 0, 0), bits(0.1, 0, 0), bits(0.1, 0, 0), bits(0, 0, 0), bits(0, 0, 0), bits(0, 0.1, 0), [NAN, 0, 0]], dpdy=[bits(0, 0, 0)] * 7,
            normalized=True, sampler=half, note="P + dPdx is rounded, NaN reads as 0, 2^97 and more is the last level")
    # By hand: the texture says its level, and the margins are wide.
    same = lambda n, v: [[f(v), 0, 0, 0]] * n
    c.fetch("cube-gradients", "4.11", flat_levels("cube", [64, 64]), "tex.grad.cube.v4.f32.f32", [bits(0.1, 0.2, 1.0), bits(-1.0, 0.1, 0.0), bits(0.0, 0.0, -2.0)],
            dpdx=[bits(0.125, 0, 0), bits(0, 0.25, 0), bits(0, 0, 4.0)], dpdy=[bits(0, 0, 0), bits(0, 0, 0.0625), bits(0.01, 0, 0)],
            sampler={**half, "mip_filter": "point"}, expect=[[f(2.0), 0, 0, 0], [f(3.0), 0, 0, 0], [f(6.0), 0, 0, 0]],
            note="steps of 4 and 8 texels of a face of 64; a step to the opposite face is the last level")
    aniso = lambda name, a, dx, dy, level: c.fetch(
        name, "4.12", flat_levels("2d", [256, 256]), "tex.grad.2d.v4.f32.f32", [bits(0.37, 0.59)], dpdx=[bits(dx / 256, 0)], dpdy=[bits(0, dy / 256)],
        normalized=True, sampler={**half, "mip_filter": "point", "max_anisotropy": a}, expect=same(1, level), note="taps of one colour: only the level shows")
    aniso("aniso-16-of-1", 16, 8.0, 1.0, 0.0)
    aniso("aniso-2", 2, 8.0, 1.0, 2.0)
    aniso("aniso-4-of-2", 4, 2.0, 16.0, 2.0)
    aniso("aniso-equal", 16, 4.0, 4.0, 2.0)
    wide = Spec("f32", "2d", [256, 4], texels=[[f32(x) for _ in range(4) for x in range(256)]])
    c.fetch("aniso-without-mipmaps", "4.12; 3.7", wide, "tex.grad.2d.v4.f32.f32", [bits(100.5 / 256, 0.5)], dpdx=[bits(8 / 256, 0)], dpdy=[bits(0, 0.25)],
            normalized=True, sampler={**half, "max_anisotropy": 16}, expect=same(1, 100.0), note="taps are centred: their mean along a ramp is the centre")
    return c


def cubes():
    c = File("cube", "Cube maps: section 7.")
    op, aop = "tex.cube.v4.f32.f32", "tex.acube.v4.f32.f32"
    cube = Spec("f32", "cube", [4, 4], ramp=[1, 1])
    signs = [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)]
    axes = [bits(*[2.0 * v if v == big else 0.3 * v for v in d]) for d in signs for big in (1, -1) if sum(v == big for v in d) == 1]
    for flt in ("point", "linear"):
        for mode in ("clamp", "wrap", "mirror", "border"):
            s = {"filter": flt, "address": [mode], "border": fs(-50.0, 0, 0, 0)}
            c.fetch(f"faces-{flt}-{mode}", "7.1; 7.2; 7.3", cube, op, axes, sampler=s)
            c.fetch(f"ties-{flt}-{mode}", "7.1; 7.2; 7.6", cube, op, [bits(*d) for d in signs], sampler=s, note="ties go to z, then y, then x")
            c.fetch(f"edges-{flt}-{mode}", "7.2; 7.5; 7.6", cube, op,
                    [bits(1.0, 1.0, 0.3), bits(0.99999994, 0.2, 1.0), bits(-1.0, 0.97, 0.1), bits(0.1, -3.0, 2.99), bits(-0.9, 0.9, -1.0), bits(1e-20, 1e-20, 1e-21),
                     bits(1e30, -3e29, 9e29), bits(0.874, 0.0, 1.0), bits(0.876, 0.0, 1.0)], sampler=s, note="normalized whatever the descriptor says")
            c.fetch(f"mipmapped-{flt}-{mode}", "7.6; 3.4", levels_spec("cube", [4, 4]), "tex.level.cube.v4.f32.f32",
                    [bits(1.0, 0.3, 1.0), bits(-1.0, -1.0, 0.2), bits(0.5, 1.0, -1.0), bits(0.2, 0.1, 1.0)], lod=fs(0, 1, 0, 1.5),
                    sampler={**s, "mip_filter": "linear"}, note="a point filter has its address mode")
    minus = [[0x80000000, f(0.2), f(1.0)], [f(1.0), 0x80000000, f(-0.5)], [0x80000000, 0x80000000, f(-1.0)], [f(-1.0), 0x80000000, 0x80000000]]
    c.fetch("minus-zero", "7.1; 7.2", cube, op, minus, sampler=LINEAR)
    strange = [0, 1, 0x807FFFFF, 0x00800000, f(1.0), 0xFE800001, 0x7F7FFFFF, INF, NINF, NAN]
    for flt in ("point", "linear"):
        for mode in ("clamp", "wrap"):
            for seamless in (False, True):
                c.fetch(f"strange-{flt}-{mode}{'-seamless' * seamless}", "7.1; 7.2; 7.3; 7.4; 7.6", cube, op, [[x, y, z] for i, x in enumerate(strange) for y in strange for z in strange[i % 3 :: 3]],
                        sampler={"filter": flt, "address": [mode], "seamless_cube": seamless}, note="subnormal, huge, infinite and NaN components")
    c.fetch("no-direction", "7.4", cube, op, [[0, 0, 0], [0x80000000, 0, 0x80000000]], sampler={"filter": "point"}, note="face +z, NaN coordinates, which read as 0")
    c.fetch("layers", "7.1; 1.10", Spec("f32", "acube", [2, 2], layers=3, ramp=[1, 1]), aop,
            [[l] + bits(*d) for l in (0, 2, 3, 0xFFFFFFFF) for d in ((1.0, 0.2, 0.3), (0.1, -0.3, -2.0))], sampler=LINEAR)
    seams = [(x, y, z) for x in (-1, 1) for y in (-0.9, 0.1, 0.4) for z in (-0.3, 0.95)]
    seams = [bits(*p) for x, y, z in seams for p in ((x, y * 0.5, z), (y * 0.5, x, z), (z, y * 0.5, x), (y * 0.5, z, x))]
    for n in (1, 2, 4, 5):
        spec = Spec("f32", "cube", [n, n], ramp=[1, 1])
        c.fetch(f"seamless-{n}", "7.7", spec, op, seams, sampler={"filter": "linear", "seamless_cube": True})
    c.fetch("seamless-layers", "7.7; 1.10", Spec("f32", "acube", [2, 2], layers=2, ramp=[1, 1]), aop, [[l] + bits(*d) for l in (0, 7) for d in ((1.0, 0.1, 0.9), (-0.9, 0.1, -1.0))],
            sampler={"filter": "linear", "seamless_cube": True})
    faces = Spec("f32", "cube", [2, 2], texels=[[f32(v) for v in (3, 100, 100, 6, 9, 100) for _ in range(4)]])
    c.fetch("seamless-corner", "7.7", faces, op, [bits(0.75, -0.75, 1.0)], sampler={"filter": "linear", "seamless_cube": True}, expect=[[f(7.13671875), 0, 0, 0]],
            note="weights 144 + 6 of +z, 48 + 5 of +x, 48 + 5 of -y: (150 * 9 + 53 * 3 + 53 * 6) / 256")
    around = Spec("f32", "cube", [1, 1], texels=[[0x7F800000, 0x7FFFFFFF, 0x7F800000, 0xFF800000, f32(1.5), 0x7FFFFFFF]])
    c.fetch("seamless-corner-unread", "7.7; 2.4", around, op, [bits(0.0, 0.0, 1.0)], sampler={"filter": "linear", "seamless_cube": True}, expect=[[f(1.5), 0, 0, 0]],
            note="the middle of a face of one texel: a is 0 along both axes, so that nothing past an edge is read, the missing corner included")
    c.fetch("not-seamless", "7.6", faces, op, [bits(0.75, -0.75, 1.0)], sampler=LINEAR)
    return c


def gathers():
    c = File("gather", "Gathers: section 8.")
    op = "tld4.r.2d.v4.f32.f32"
    g = grid(5, 4)
    points = [bits(x, y) for x in (-9.0, -0.5, 0.5, 1.0, 2.4980469, 2.499, 4.5, 4.6, 99.0) for y in (-0.2, 0.5, 1.75, 3.5, 7.0)]
    for mode in ("clamp", "border"):
        c.fetch(f"footprint-{mode}", "8; 8.2; 8.5", g, op, points, sampler={"address": [mode], "border": fs(77.0, 0, 0, 0)}, note="from the lower left, counter-clockwise")
    for mode in ("clamp", "wrap", "mirror", "border"):
        c.fetch(f"footprint-normalized-{mode}", "8.2; 8.5; 1.7", g, op, [bits(k / 7, k / 5 - 0.3) for k in range(-4, 12)], normalized=True,
                sampler={"address": [mode], "border": fs(77.0, 0, 0, 0)})
    c.fetch("offsets", "8.2; 1.4", g, op, [bits(2.2, 1.9)] * 9, sampler={"address": ["border"], "border": fs(77.0, 0, 0, 0)},
            offsets=[(0, 0), (1, -1), (-2, 1), (8, 0), (31, -32), (32, -33), (63, 64), (65, -65), (-62, 66)], note="6 bits an axis")
    c.fetch("values-f32", "8.3", cells("f32", 3, 2, [0x7F800001, 0x80000001, 0x007FFFFF, 0xFFC00000, INF, 0x80000000]), op, [bits(1.0, 1.0), bits(2.0, 1.0)])
    c.fetch("values-f16", "8.3", cells("f16", 3, 2, [0x7C01, 0x0001, 0xFC00, 0xFFFF, 0x8000, 0x83FF]), op, [bits(1.0, 1.0), bits(2.0, 1.0)])
    c.fetch("values-u32", "8.3", cells("u32", 2, 2, [1, 0x7F800001, 0xFFFFFFFF, 0x80000000]), "tld4.r.2d.v4.u32.f32", [bits(1.0, 1.0)])
    c.fetch("values-s8", "8.3", cells("s8x2", 2, 2, [0, 0x80, 0, 0x7F, 0, 0xFF, 0, 5]), "tld4.g.2d.v4.s32.f32", [bits(1.0, 1.0)])
    every = Spec("s8", "2d", [256, 1], texels=[list(range(256))])
    c.fetch("every-snorm8-code", "8.4", every, op, [bits(k + 1.0, 0.5) for k in range(0, 256, 2)], read="normalized")
    c.fetch("snorm16", "8.4", cells("s16", 2, 2, [0x8000, 0x8001, 0x7FFF, 1]), op, [bits(1.0, 1.0)], read="normalized")
    c.fetch("unorm8", "8.4", cells("u8", 2, 2, [0, 1, 128, 255]), op, [bits(1.0, 1.0)], read="normalized")
    c.fetch("srgb", "8.4; 5.1", cells("u8x4", 2, 2, list(range(7, 247, 15))), "tld4.b.2d.v4.f32.f32", [bits(1.0, 1.0)], read="normalized", sampler={"srgb": True})
    c.fetch("srgb-alpha", "8.4; 5.1", cells("u8x4", 2, 2, list(range(7, 247, 15))), "tld4.a.2d.v4.f32.f32", [bits(1.0, 1.0)], read="normalized", sampler={"srgb": True})
    for name in "gba":
        c.fetch(f"missing-{name}", "8.5", grid(2, 2), f"tld4.{name}.2d.v4.f32.f32", [bits(1.0, 1.0), bits(-4.0, 1.0)], sampler={"address": ["border"], "border": fs(9, 9, 9, 9)})
    c.fetch("border-colour", "8.5; 6", cells("u8x4", 1, 1, [1, 2, 3, 4]), "tld4.g.2d.v4.f32.f32", [bits(0.0, 0.5), bits(0.0, 0.0)], read="normalized",
            sampler={"address": ["border"], "border": fs(0.1, 0.5, 0.2, 0.3)})
    c.fetch("of-mipmaps", "8.6", levels_spec("2d", [4, 4]), op, [bits(0.4, 0.6)], sampler={"mip_filter": "linear", "min": f(1.0)})
    c.fetch("of-layers", "8; 1.10", Spec("f32", "a2d", [3, 2], layers=2, ramp=[1, 1]), "tld4.r.a2d.v4.f32.f32", [[l, f(1.2), f(1.1)] for l in (0, 1, 5, 0xFFFFFFFF)])
    for mode in ("clamp", "wrap", "border"):
        c.fetch(f"of-cubes-{mode}", "8.7", Spec("f32", "cube", [3, 3], ramp=[1, 1]), "tld4.r.cube.v4.f32.f32",
                [bits(1.0, 0.1, 0.2), bits(-1.0, 0.95, 0.2), bits(0.2, 1.0, 0.98), bits(0.1, -1.0, -0.9), bits(0.5, 0.5, 1.0), bits(0.99, 0.99, -1.0)],
                sampler={"address": [mode], "border": fs(-1.0, 0, 0, 0)})
    c.fetch("seamless", "8.7", Spec("f32", "cube", [3, 3], ramp=[1, 1]), "tld4.r.cube.v4.f32.f32", [bits(-1.0, 0.95, 0.2), bits(0.2, 1.0, 0.98), bits(0.97, 0.99, -1.0), bits(-1.0, -0.98, -0.99), bits(1.0, 1.0, 1.0)],
            sampler={"seamless_cube": True}, note="the missing texel has weights 85, 85 and 86")
    c.fetch("of-cube-layers", "8.7; 1.10", Spec("f32", "acube", [2, 2], layers=2, ramp=[1, 1]), "tld4.r.acube.v4.f32.f32", [[l] + bits(0.3, -1.0, 0.4) for l in (0, 1, 2)])
    return c


def creation():
    c = File("create", "What can be made, and views: section 8.1 and 12.")
    names = {26: "cudaErrorInvalidFilterSetting, 26", 27: "cudaErrorInvalidNormSetting, 27", 1: "cudaErrorInvalidValue, 1"}
    table = [("u8", (0, 26, 0, 0)), ("s8", (0, 26, 0, 0)), ("u16", (0, 26, 0, 0)), ("s16", (0, 26, 0, 0)), ("u32", (0, 26, 27, 26)), ("s32", (0, 26, 27, 26)),
             ("f16", (0, 0, 27, 27)), ("f32", (0, 0, 27, 27)), ("rgb10a2", (0, 0, 27, 27)), ("unorm8", (27, 27, 0, 0)), ("snorm16", (27, 27, 0, 0))]
    for format, codes in table:
        for (read, flt), code in zip([("element", "point"), ("element", "linear"), ("normalized", "point"), ("normalized", "linear")], codes):
            if code:
                c.fetch(f"{format}-{read}-{flt}", "8.1", cells(format, 1, 1, [0]), P2, [], read=read, sampler={"filter": flt}, error=names[code])
            elif flt == "linear":
                c.fetch(f"{format}-{read}-{flt}", "8.1", cells(format, 1, 1, [0]), P2, [bits(0.5, 0.5)], read=read, sampler={"filter": flt})
    black = lambda name, n: Spec(name, "2d", [4, 4], texels=[[0] * n])
    c.fetch("srgb-block-without-flag", "8.1", black("bc1_srgb", 8), P2, [], read="normalized", error=names[1])
    c.fetch("bc-element", "8.1", black("bc3", 16), P2, [], error=names[27])
    c.fetch("bc6h-normalized", "8.1", black("bc6h", 16), P2, [], read="normalized", error=names[27])
    c.fetch("block-1d", "8.1", Spec("bc1", "1d", [4], texels=[[0] * 8]), P1, [], read="normalized", error="bc1")
    c.fetch("seamless-2d", "8.1", grid(1, 1), P2, [], sampler={"filter": "linear", "seamless_cube": True}, error=names[1])
    c.fetch("other-geometry", "1.13", grid(1, 1), P3, [bits(0.5, 0.5, 0.5)])
    c.fetch("linear-memory-of-floats", "1.13", Spec("f32", "1d", [4], ramp=[1, 1], layout="linear"), P1, fs(0.5, 1.0, -3.0))
    c.fetch("linear-memory", "8.1; 1.9", Spec("f32", "1d", [4], ramp=[1, 1], layout="linear"), "tex.1d.v4.f32.s32", [0, 3, 4, 0xFFFFFFFF], sampler=LINEAR)
    c.fetch("pitched-memory", "1.6", Spec("f32", "2d", [3, 2], ramp=[1, 1], layout="pitch", pitch=64), P2, [bits(x, y) for x in (0.5, 1.25, 9.0) for y in (0.5, 1.2)], sampler=LINEAR)
    c.fetch("pitch-not-aligned", "12", Spec("f32", "2d", [3, 2], ramp=[1, 1], layout="pitch", pitch=40), P2, [], error="not a multiple of")
    c.fetch("too-large", "8.1", Spec("u8", "3d", [16385, 1, 1], fill=[0]), P3, [], error="16384")
    c.fetch("extent-0", "8.1", Spec("u8", "2d", [0, 1], fill=[0]), P2, [], error="width is 0")
    # Views.
    base = [[f32(1000 * l + k) for k in range(3 * n * n)] for l, n in enumerate((4, 2, 1))]
    view = lambda **v: Spec("f32", "a2d", [4, 4], layers=3, levels=3, texels=base, view=v)
    c.fetch("view-of-levels", "8.1; 3.3", view(levels=[1, 2]), "tex.level.a2d.v4.f32.f32", [[l, f(0.3), f(0.7)] for l in (0, 1, 9)] * 2, lod=fs(0, 0, 0, 1, 0.5, 9),
            sampler={"mip_filter": "linear"})
    c.fetch("view-of-a-layer", "8.1", view(geometry="2d", layers=[1, 1]), LEVEL2, [bits(0.3, 0.7)] * 3, lod=fs(0, 1, 2))
    c.fetch("view-of-layers", "8.1; 1.10", view(layers=[1, 2]), "tex.a2d.v4.f32.f32", [[l, f(0.3), f(0.7)] for l in (0, 1, 2, 0xFFFFFFFF)])
    bytes4 = Spec("u8x4", "2d", [2, 1], texels=[[1, 2, 3, 4, 0xFC, 0xFD, 0xFE, 0xFF]], view={"format": "u32"})
    c.fetch("view-as-u32", "8.1", bytes4, "tex.2d.v4.u32.s32", [[0, 0], [1, 0], [2, 0]], expect=[[0x04030201, 0, 0, 0], [0xFFFEFDFC, 0, 0, 0], [0, 0, 0, 0]])
    floats = Spec("u32", "2d", [2, 2], texels=[fs(1.0, 2.0, 4.0, 8.0)], view={"format": "f32"})
    c.fetch("view-as-f32", "8.1", floats, P2, [bits(1.0, 0.9)], sampler=LINEAR)
    faces = Spec("f32", "cube", [2, 2], ramp=[1, 1], view={"geometry": "a2d"})
    c.fetch("view-of-faces", "8.1; 7.1", faces, "tex.a2d.v4.f32.f32", [[k, f(0.5), f(1.5)] for k in range(7)])
    six = Spec("f32", "a2d", [2, 2], layers=6, ramp=[1, 1], view={"geometry": "cube"})
    c.fetch("view-of-six-layers", "8.1; 7.1", six, "tex.cube.v4.f32.f32", [bits(1, 0.2, 0.3), bits(0.1, -1, 0.2), bits(0.1, 0.2, -1)])
    red = Spec("u32x2", "2d", [1, 1], texels=[[0xF800F800, 0]], view={"format": "bc1"})
    c.fetch("view-as-blocks", "8.1; 11", red, P2, [bits(0.5, 0.5), bits(3.5, 3.5)], read="normalized", expect=[[ONE, 0, 0, ONE]] * 2)
    c.fetch("view-of-another-size", "8.1", Spec("u8x4", "2d", [2, 1], ramp=[1, 1], view={"format": "u16"}), P2, [], error="u16")
    c.fetch("view-past-the-end", "8.1", view(levels=[1, 3]), "tex.a2d.v4.f32.f32", [], error="levels")
    # Section 11, by hand.
    c.fetch("bc6h-negative-zero", "11", Spec("bc6h_snorm", "2d", [4, 4], texels=[bc6h(rw=0, rx=0xF, second=15)]), P2, [bits(0.5, 0.5), bits(1.5, 0.5)],
            expect=[[0, 0, 0, ONE]] * 2, note="mode 14 with a step of -1: the magnitude is cut to 0")
    c.fetch("bc6h-smallest-negative", "11", Spec("bc6h_snorm", "2d", [4, 4], texels=[bc6h(rw=0xFFFE, rx=0, second=15)]), P2, [bits(0.5, 0.5), bits(1.5, 0.5)],
            expect=[[0xB3800000, 0, 0, ONE]] * 2, note="endpoints of -2: 2 * 31 >> 5 is the half 0x8001")
    for mode in (19, 23, 27, 31):
        c.fetch(f"bc6h-reserved-{mode}", "11", Spec("bc6h", "2d", [4, 4], texels=[[mode] + [0xFF] * 15]), P2, [bits(2.5, 1.5)], expect=[[0, 0, 0, ONE]])
    c.fetch("bc7-mode-6", "11", Spec("bc7", "2d", [4, 4], texels=[bc7_mode6()]), P2, [bits(k % 4 + 0.5, k // 4 + 0.5) for k in range(16)], read="normalized",
            expect=[[f32(Fraction((255 * w + 32) >> 6, 255))] * 4 for w in (0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64)],
            note="ends 0 and 255, index k at texel k")
    return c


def block_bytes(fields):
    """(value, bits), lowest first."""
    value = at = 0
    for field, width in fields:
        value |= (field & (1 << width) - 1) << at
        at += width
    return list(value.to_bytes(16, "little"))


def bc6h(rw, rx, second):
    """Mode 14 (01111): rw[9:0], gw, bw, rx[3:0], rw[10:15], ..., then indices of 3 and 4 bits."""
    high = int(f"{rw >> 10:06b}"[::-1], 2)
    return block_bytes([(0x0F, 5), (rw, 10), (0, 20), (rx, 4), (high, 6), (0, 20), (0, 3), (second, 4)])


def bc7_mode6():
    """One subset, ends of 7 bits and a p-bit each: r0 r1 g0 g1 b0 b1 a0 a1 p0 p1."""
    ends = [(0, 7), (127, 7)] * 4 + [(0, 1), (1, 1)]
    return block_bytes([(0x40, 7)] + ends + [(0, 3)] + [(k, 4) for k in range(1, 16)])


def compare():
    c = File("compare", "Depth compare, residency, samples: section 9.")
    g = cells("f32", 2, 2, fs(0.25, 0.5, 0.75, 1.0))
    points = [bits(0.5, 0.5), bits(1.5, 1.5), bits(1.0, 1.0), bits(0.75, 1.25), bits(1.2, 0.8)]
    functions = ("never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always")
    c.fetch("without-function", "9.1", g, P2, points, compare=fs(0.5, 0.5, 0.5, 0.5, 0.5), sampler=LINEAR, note="the operand is read and has no effect")
    for function in functions:
        for flt in ("point", "linear"):
            c.fetch(f"{function}-{flt}", "9.2; 9.3", g, P2, points * 5, compare=[r for r in fs(0.25, 0.5, 0.6, -1.0, 2.0) for _ in points],
                    sampler={"filter": flt, "compare": function}, note="ref FUNC texel, in x alone")
        strange = cells("f32", 2, 2, [NAN, INF, 0x80000000, 1])
        c.fetch(f"{function}-strange", "9.2", strange, P2, [bits(x, y) for x in (0.5, 1.5) for y in (0.5, 1.5)] * 4,
                compare=[r for r in [NAN, 0, INF, 0x80000001] for _ in range(4)], sampler={"compare": function})
    c.fetch("depth16", "9.2", cells("depth16", 2, 2, [0, 32768, 65535, 1]), P2, points, compare=fs(0.5, 1.0, 0.25, 0.0, 0.5000076), sampler={"filter": "linear", "compare": "less_equal"})
    c.fetch("depth32f", "9.2", cells("depth32f", 2, 2, fs(0.1, 0.2, 0.3, 0.4)), P2, points, compare=fs(0.1, 0.4, 0.25, 0.3, 0.0), sampler={"filter": "linear", "compare": "greater_equal"})
    c.fetch("depth16-without-function", "9.1; 2", cells("depth16", 2, 2, [0, 32768, 65535, 1]), P2, points, sampler=LINEAR)
    c.fetch("unorm8", "9.2", cells("u8x4", 2, 2, list(range(0, 256, 16))), P2, points, compare=fs(0.2, 0.9, 0.5, 0.3, 0.25), read="normalized", sampler={"filter": "linear", "compare": "less"},
            note="the function has no effect on four channels")
    c.fetch("border", "9.2; 6", g, P2, [bits(-5.0, 0.5), bits(0.0, 0.5), bits(2.0, 1.0)], compare=fs(0.5, 0.5, 0.5),
            sampler={"filter": "linear", "address": ["border"], "border": fs(0.5, 0, 0, 0), "compare": "less_equal"})
    c.fetch("levels", "9.2; 3.5", Spec("f32", "2d", [2, 2], texels=[fs(0.1, 0.2, 0.3, 0.4), fs(0.9)], levels=2), LEVEL2, [bits(0.5, 0.5)] * 4, lod=fs(0, 0.25, 0.5, 1),
            compare=fs(0.25, 0.25, 0.25, 0.25), sampler={"filter": "linear", "mip_filter": "linear", "compare": "less"})
    c.fetch("cube", "9.2; 7.1", Spec("f32", "cube", [2, 2], ramp=[0, 1]), "tex.cube.v4.f32.f32", [bits(1.0, 0.1, 0.2), bits(0.1, 0.2, -1.0)], compare=fs(1.5, 21.5),
            sampler={"filter": "linear", "compare": "greater"})
    c.fetch("layers", "9.2; 1.10", Spec("f32", "a2d", [2, 2], layers=2, ramp=[0, 1]), "tex.a2d.v4.f32.f32", [[l, f(1.0), f(0.9)] for l in (0, 1, 2)], compare=fs(1.5, 5.5, 6.5),
            sampler={"filter": "linear", "compare": "less"})
    c.fetch("as-halves", "9.2; 2.6", g, "tex.2d.v4.f16.f32", points, compare=fs(0.5, 0.6, 0.6, 0.6, 0.6), sampler={"filter": "linear", "compare": "greater"})
    # Residency: 64 KiB tiles of 128 x 128 texels.
    sparse = Spec("f32", "2d", [256, 256], ramp=[1, 1], missing=[[0, 0, 1, 0, 0]])
    near = [bits(*p) for p in ((10.5, 10.5), (127.5, 3.5), (128.5, 3.5), (128.0, 3.0), (127.75, 3.0), (127.501, 3.5), (127.502, 3.5), (128.4, 128.0), (128.5, 128.5), (300.0, 5.0), (-5.0, 5.0))]
    for flt in ("point", "linear"):
        for mode in ("clamp", "border"):
            c.fetch(f"tiles-{flt}-{mode}", "9.4", sparse, P2, near, sampler={"filter": flt, "address": [mode], "border": fs(5.0, 0, 0, 0)}, tests_resident=True,
                    note="a texel of weight 0 and the border colour count as there")
    c.fetch("tiles-gathered", "9.4; 8.2", sparse, "tld4.r.2d.v4.f32.f32", near, tests_resident=True)
    c.fetch("tiles-integer", "9.4; 1.9", sparse, "tex.2d.v4.f32.s32", [[127, 0], [128, 0], [255, 127], [128, 128], [256, 0], [0xFFFFFFFF, 0]], tests_resident=True)
    c.fetch("tiles-as-halves", "9.4; 2.6", sparse, "tex.2d.v2.f16x2.f32", near[:4], tests_resident=True)
    c.fetch("tiles-of-layers", "9.4", Spec("f32", "a2d", [256, 128], layers=2, ramp=[1, 1], missing=[[0, 1, 0, 0, 0]]), "tex.a2d.v4.f32.f32",
            [[l, f(x), f(1.5)] for l in (0, 1, 2) for x in (3.5, 200.5)], tests_resident=True)
    c.fetch("tiles-of-levels", "9.4; 3.4", Spec("f32", "2d", [512, 512], by_level=[1, 1], levels=10, missing=[[0, 0, 1, 1, 0], [1, 0, 0, 0, 0], [2, 0, 0, 0, 0]]), LEVEL2,
            [bits(0.3, 0.3), bits(0.1, 0.9), bits(0.1, 0.9), bits(0.1, 0.9), bits(0.3, 0.3), bits(0.1, 0.1), bits(0.1, 0.1)], lod=fs(0, 0, 0.5, 1.5, 1, 2.5, 3),
            sampler={"mip_filter": "linear"}, tests_resident=True)
    c.fetch("everything-else-is-there", "9.4", grid(2, 2), P2, points, sampler=LINEAR, tests_resident=True)
    # Samples.
    for n in (2, 4, 8, 16):
        c.fetch(f"samples-{n}", "9.5; 9.6", Spec("f32", "2dms", [3, 2], samples=n, ramp=[1, 1]), "tex.2dms.v4.f32.s32",
                [[s, x, y] for s in (0, 1, n - 1, n, 0x7FFFFFFF, 0xFFFFFFFF) for x, y in ((0, 0), (2, 1), (3, 0), (0, 2), (0xFFFFFFFF, 0))], note="the number is taken modulo")
    c.fetch("samples-of-layers", "9.5; 9.6; 1.10", Spec("u8x4", "a2dms", [2, 2], samples=4, layers=3, ramp=[1, 1]), "tex.a2dms.v4.u32.s32",
            [[s, l, x, y] for s in (0, 3, 4) for l in (0, 2, 3, 0xFFFFFFFF) for x, y in ((0, 0), (1, 1), (2, 0))], note="{sample, layer, x, y}")
    return c


def surfaces():
    c = File("surface", "Surface accesses: section 10.")
    line = lambda n: Spec("u8", "1d", [n], texels=[list(range(n))])
    hexed = lambda numbers: "".join(f"{n & 255:02x}" for n in numbers)
    for mode in ("trap", "clamp", "zero"):
        c.surface(f"misaligned-{mode}", "10.1", line(16), f"suld.b.1d.b32.{mode}", [[2], [-2], [1], [4]], ["misaligned", "misaligned", "misaligned", "04050607"])
        c.surface(f"misaligned-vector-{mode}", "10.1", line(16), f"suld.b.1d.v2.b32.{mode}", [[4], [8]], ["misaligned", "08090a0b0c0d0e0f"])
        c.surface(f"misaligned-store-{mode}", "10.1", line(4), f"sust.b.1d.b16.{mode}", [[1], [2]], ["misaligned", "aabb"], after="0001aabb")
    c.surface("trap", "10.2", Spec("u8", "2d", [4, 2], ramp=[0, 1]), "suld.b.2d.b16.trap", [[2, 1], [4, 0], [-2, 0], [0, 2], [0, -1]], ["0607"] + ["outside"] * 4)
    c.surface("trap-layers", "10.2", Spec("u8", "a1d", [4], layers=2, ramp=[0, 1]), "sust.b.a1d.b8.trap", [[1, 3], [2, 0], [-1, 0]], ["ee", "outside", "outside"], after="00010203040506ee")
    c.surface("trap-3d", "10.2", Spec("u8", "3d", [2, 2, 2], ramp=[0, 1]), "suld.b.3d.b8.trap", [[1, 1, 1], [0, 0, 2], [0, 0, -1]], ["07", "outside", "outside"])
    c.surface("clamp-wide-access", "10.3", line(24), "suld.b.1d.v4.b32.clamp", [[16], [-16], [0], [1024]], [hexed(range(16))] * 4, note="on 24 bytes an access of 16 goes to 0")
    c.surface("clamp", "10.3", Spec("u8", "2d", [6, 2], ramp=[0, 1]), "suld.b.2d.b32.clamp", [[4, 0], [-4, 5], [0, -1], [2147483644, 1]], ["00010203", "06070809", "00010203", "06070809"])
    c.surface("clamp-layers", "10.3", Spec("u8", "a2d", [2, 2], layers=3, ramp=[0, 1]), "suld.b.a2d.b8.clamp", [[0, 5, 5], [2, 0, 0], [3, 0, 0], [-1, -1, -1]], ["03", "08", "08", "08"])
    c.surface("clamp-store", "10.3", line(8), "sust.b.1d.v2.b16.clamp", [[-8], [400]], ["a0a1a2a3", "b0b1b2b3"], after="a0a1a2a3b0b1b2b3")
    c.surface("zero", "10.4", Spec("u8", "2d", [6, 2], ramp=[0, 1]), "suld.b.2d.b32.zero", [[0, 1], [4, 0], [-4, 0], [0, 2]], ["06070809"] + ["00000000"] * 3)
    c.surface("zero-store", "10.4", line(6), "sust.b.1d.b32.zero", [[4], [-4], [0]], ["aaaaaaaa", "bbbbbbbb", "cccccccc"], after="cccccccc0405")
    c.surface("zero-layers", "10.4", Spec("u8", "a1d", [2], layers=2, ramp=[1, 1]), "suld.b.a1d.b8.zero", [[1, 1], [2, 0], [-1, 0]], ["04", "00", "00"])
    c.surface("zero-reduce", "10.4", Spec("u32", "1d", [2], texels=[[1, 2]]), "sured.b.add.1d.u32.zero", [[4], [8], [-4]], ["00000005"] * 3, after="0100000007000000")
    c.surface("short-row", "10.5", line(8), "suld.b.1d.v4.b32.clamp", [[0], [16]], ["00" * 16] * 2)
    c.surface("lowest-lane-wins", "10.6", line(4), "sust.b.1d.b8.trap", [[1], [1], [2], [1]], ["aa", "bb", "cc", "dd"], after="00aacc03", warp=True)
    c.surface("reductions-of-a-warp", "10.6", Spec("u32", "1d", [2], texels=[[10, 0]]), "sured.b.add.1d.u32.trap", [[0]] * 32, ["00000003"] * 32, after="6a00000000000000", warp=True)

    def formatted(format, words, after, vector=4, cites="10.7", note=None):
        n = len(channels(format))
        name = {1: "", 2: ".v2", 4: ".v4"}[vector]
        spec = Spec(format, "1d", [len(words)], fill=[0] * n)
        c.surface(f"sust.p-{format}-v{vector}-{cites}", cites, spec, f"sust.p.1d{name}.b32.trap", [[i] for i in range(len(words))],
                  ["".join(f"{w & 0xFFFFFFFF:08x}" for w in row) for row in words], after=after, note=note)

    formatted("u8x4", [[255, 256, 0xFFFFFFFF, 0], [1, 2, 3, 4]], "ffffff00" + "01020304")
    formatted("s8x4", [[127, 128, -128, -129], [0x80000000, 0x7FFFFFFF, -1, 1]], "7f7f8080" + "807fff01")
    formatted("u16x2", [[65535, 65536, 0, 0]], "ffffffff", note="two channels of four components")
    formatted("s16x2", [[32768, -32769, 0, 0]], "ff7f0080")
    formatted("u32", [[0xFFFFFFFF], [7]], "ffffffff07000000", vector=1)
    formatted("s32", [[0x80000000], [7]], "0000008007000000", vector=1)
    formatted("f32x2", [[0x7F800001, 0x80000001]], "0100807f01000080", vector=2)
    formatted("f32x4", [[f(1.0), f(2.0)]], "0000803f00000040" + "00" * 8, vector=2, note="what is not supplied is stored as 0")
    formatted("u8x4", [[9]], "09000000", vector=1)
    formatted("f16x4", [[f(65520.0), INF, 0x7F800001, 0xFFC02000]], "ff7b007c017c" + "01fe")
    formatted("f16x4", [[0x33000000, 0xB8FFFFFF, f(1.9999999), 0x80000000]], "0000" + "ff87" + "ff3f" + "0080", cites="10.7; 6", note="cut toward zero")
    formatted("unorm8x4", [[f(1.0), f(-1.0), f(0.25), f(7.0)]], "ff0040ff", cites="10.8")
    formatted("snorm8x4", [[f(1.0), f(-1.0), f(-0.25), f(-7.0)]], "7f81e081", cites="10.8")
    formatted("unorm16x2", [[f(1.0), f(0.3), 0, 0]], "ffff" + "cc4c", cites="10.8")
    # x counts elements; formats say signed or unsigned.
    word = lambda n: f"{n & 0xFFFFFFFF:08x}"
    memory = lambda *ns: "".join((n & 0xFFFFFFFF).to_bytes(4, "little").hex() for n in ns)
    for op, value, signed, unsigned in (("add", -1, 4, 4), ("min", -1, -1, 5), ("max", -1, 5, -1), ("and", 0xC, 4, 4), ("or", 0xA, 0xF, 0xF)):
        # The ISA has and, or for .b32 only.
        ty = ".b32" if op in ("and", "or") else None
        for format, result in (("s32", signed), ("u32", unsigned)):
            spec = Spec(format, "2d", [2, 2], texels=[[5, 5, 5, 5]])
            c.surface(f"sured.b-{op}-{format}", "10", spec, f"sured.b.{op}.2d{ty or '.' + format}.trap", [[4, 1]], [word(value)], after=memory(5, 5, 5, result))
            c.surface(f"sured.p-{op}-{format}", "10.9", spec, f"sured.p.{op}.2d.b32.trap", [[1, 1]], [word(value)], after=memory(5, 5, 5, result), note="x counts elements")
    wide = Spec("u32x2", "1d", [2], texels=[[0xFFFFFFFF, 0, 1, 0]])
    c.surface("sured.b-add-u64", "10", wide, "sured.b.add.1d.u64.trap", [[0], [8]], ["0000000000000001", "ffffffffffffffff"], after=memory(0, 1, 0, 0))
    c.surface("sured.b-min-s64", "10", wide, "sured.b.min.1d.s64.trap", [[0], [8]], ["8000000000000000", "0000000000000002"], after=memory(0, 0x80000000, 1, 0))
    c.surface("sured.b-max-u64", "10", wide, "sured.b.max.1d.u64.trap", [[0], [8]], ["8000000000000000", "0000000000000000"], after=memory(0, 0x80000000, 1, 0))
    c.surface("sured.b-clamp", "10.3", Spec("u32", "2d", [2, 2], texels=[[1, 2, 3, 4]]), "sured.b.add.2d.u32.clamp", [[400, 9], [-4, 0]], [word(10), word(20)], after=memory(21, 2, 3, 14))
    c.surface("sured.p-min-s64", "10.9", Spec("s32x2", "1d", [2], texels=[[1, 0, 5, 0]]), "sured.p.min.1d.b64.trap", [[1]], ["ffffffffffffffff"], after=memory(1, 0, -1, -1))
    c.surface("sured.p-min-u64", "10.9", wide, "sured.p.min.1d.b64.trap", [[1]], ["ffffffffffffffff"], after=memory(0xFFFFFFFF, 0, 1, 0))
    c.surface("sured.p-float", "10.9", Spec("f32", "1d", [2], fill=[ONE]), "sured.p.max.1d.b32.trap", [[1]], [word(-1)], after=memory(ONE, -1))
    c.surface("sured.p-unorm", "10.9", Spec("unorm8x4", "1d", [2], fill=[5] * 4), "sured.p.add.1d.b32.trap", [[0]], [word(255)], after="04060505" + "05" * 4)
    square = Spec("u8", "2d", [4, 2], ramp=[0, 1])
    c.surface("a1d-of-plain", "10.10", line(4), "suld.b.a1d.b8.trap", [[0, 0], [0, 3]], ["00", "03"])
    c.surface("a1d-of-plain-trap", "10.10; 10.2", line(4), "suld.b.a1d.b8.trap", [[1, 0], [-1, 0], [0, 4]], ["outside"] * 3)
    c.surface("a1d-of-plain-clamp", "10.10; 10.3", line(4), "suld.b.a1d.b16.clamp", [[0, 2], [1, 2], [-1, 8], [7, -2]], ["0203", "0203", "0203", "0001"])
    c.surface("a1d-of-plain-zero", "10.10; 10.4", line(4), "suld.b.a1d.b8.zero", [[0, 2], [1, 2], [-1, 2], [0, 4]], ["02", "00", "00", "00"])
    c.surface("a2d-of-plain", "10.10", square, "suld.b.a2d.b16.trap", [[0, 2, 1], [0, 0, 0]], ["0607", "0001"])
    c.surface("a2d-of-plain-trap", "10.10; 10.2", square, "sust.b.a2d.b8.trap", [[1, 0, 0], [-1, 3, 1], [0, 1, 1]], ["outside", "outside", "ee"], after="0001020304ee0607")
    c.surface("a2d-of-plain-clamp", "10.10; 10.3", square, "sust.b.a2d.b8.clamp", [[5, 3, 9], [-1, 0, 0]], ["ee", "dd"], after="dd010203040506ee")
    c.surface("a2d-of-plain-zero", "10.10; 10.4", square, "sust.b.a2d.b8.zero", [[1, 0, 0], [-1, 1, 0], [0, 2, 0]], ["ee", "dd", "cc"], after="0001cc0304050607")
    c.surface("formatted-a1d-of-plain", "10.10; 10.7", Spec("u8x4", "1d", [2], fill=[9] * 4), "sust.p.a1d.v4.b32.zero", [[0, 1], [1, 0]], ["00000001000000020000000300000004"] * 2, after="0909090901020304")
    c.surface("formatted-a2d-of-plain", "10.10; 10.7", Spec("u8x4", "2d", [1, 2], fill=[9] * 4), "sust.p.a2d.v4.b32.clamp", [[3, 0, 1]], ["00000001000000020000000300000004"], after="0909090901020304")
    c.surface("a1d-of-plane", "10.10", square, "suld.b.a1d.b8.trap", [[0, 1], [9, 9]], ["00", "00"], note="also under .trap")
    c.surface("a2d-of-line", "10.10", line(4), "sust.b.a2d.b8.trap", [[0, 1, 0]], ["ee"], after="00010203")
    c.surface("line-of-row", "10.10", Spec("u8", "2d", [4, 1], ramp=[1, 1]), "suld.b.1d.b8.trap", [[1], [4]], ["00", "00"])
    layered = Spec("u8", "a2d", [2, 2], layers=2, ramp=[0, 1])
    c.surface("plain-of-layered", "10.10", layered, "sust.b.2d.b8.trap", [[1, 1]], ["ee"], after="000102ee04050607")
    c.surface("layered-of-solid", "10.10", Spec("u8", "3d", [2, 2, 2], ramp=[0, 1]), "suld.b.a2d.b8.trap", [[1, 1, 1], [2, 0, 0]], ["03", "outside"], note="slice 0, whatever the layer")
    c.surface("blocks", "8.1", Spec("bc1", "2d", [4, 4], texels=[[0] * 8]), "suld.b.2d.b8.trap", error="bc1")
    c.surface("mipmapped", "8.1", levels_spec("2d", [2, 2]), "suld.b.2d.b8.trap", error="one mip level")
    view = Spec("u32", "2d", [4, 4], texels=[list(range(16)), [100, 101, 102, 103], [200]], levels=3, view={"levels": [1, 1]})
    c.surface("level-of-mipmaps", "10", view, "suld.b.2d.b32.trap", [[4, 1], [8, 0]], ["67000000", "outside"])
    c.surface("face-of-a-cube", "10.3", Spec("u8", "cube", [2, 2], ramp=[0, 1]), "suld.b.a2d.b8.clamp", [[4, 1, 1], [9, 0, 0]], ["13", "14"], note="the layer is the face")
    sparse = Spec("u32", "2d", [256, 128], fill=[7], missing=[[0, 0, 1, 0, 0]])
    c.surface("not-resident-load", "9.7", sparse, "suld.b.2d.b32.trap", [[508, 0], [512, 0], [1020, 127]], ["07000000", "00000000", "00000000"])
    c.surface("not-resident-store", "9.7", sparse, "sust.b.2d.b32.trap", [[512, 0], [1020, 127]], ["aaaaaaaa", "bbbbbbbb"])
    c.surface("not-resident-reduce", "9.7", sparse, "sured.b.add.2d.u32.trap", [[512, 0]], ["00000001"])
    return c


def main(out=os.path.dirname(os.path.abspath(__file__))):
    for file in (coordinate(), neighbour(), filtering(), levels(), cubes(), gathers(), creation(), compare(), surfaces(), shared(), missed()):
        file.write(out)


if __name__ == "__main__":
    main(*sys.argv[1:])
