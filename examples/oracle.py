#!/usr/bin/env python3
"""Computes what the examples must give, without texunit: numpy, the rules of docs/numerics.md and nothing else.

Every function follows the PTX of its example one rounding after the other: numpy's float32 operations round as
add.rn, mul.rn, div.rn and sqrt.rn do; fma() below rounds once. No example uses an approximate instruction, so the
bytes written to <example>/expected are what any GPU of sm_75 or later stores.
"""
import pathlib
import struct
import sys
from fractions import Fraction

import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).parent
F = np.float32


def fma(a, b, c):
    """f32 a*b+c, rounded once: exact product and error-free sum in f64, made odd, then cut to f32."""
    a, b, c = (np.asarray(v, np.float32).astype(np.float64) for v in (a, b, c))
    p, c = np.broadcast_arrays(a * b, c)
    s = p + c
    t = s - p
    error = (p - (s - t)) + (c - t)
    even = (s.view(np.int64) & 1) == 0
    s = np.where((error != 0) & even, np.nextafter(s, np.where(error > 0, np.inf, -np.inf)), s)
    return s.astype(np.float32)


def exactly(value):
    """A Fraction to the nearest f32, ties to even (normal results): for the self-test."""
    if value == 0:
        return F(0)
    sign, value = (-1, -value) if value < 0 else (1, value)
    e = value.numerator.bit_length() - value.denominator.bit_length()
    e -= value < Fraction(2) ** e
    n = value / Fraction(2) ** (e - 23)
    whole = n.numerator // n.denominator
    rest = n - whole
    whole += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1)
    return F(sign * float(Fraction(whole) * Fraction(2) ** (e - 23)))


def self_test():
    rng = np.random.default_rng(1)
    for scale in (0, 8, 24, 30):
        a = rng.standard_normal(4000).astype(F)
        b = rng.standard_normal(4000).astype(F)
        c = (-a.astype(float) * b * (1 + rng.standard_normal(4000) * 2.0**-scale)).astype(F)
        # Ties, and sums a hair off a tie, which a second rounding would get wrong.
        a[:500] = (1 + rng.integers(1, 1 << 12, 500) * 2.0**-12).astype(F)
        b[:500] = (1 + rng.integers(1, 1 << 12, 500) * 2.0**-12).astype(F)
        c[:500] = (rng.integers(1, 64, 500) * 2.0 ** rng.integers(-60, 20, 500)).astype(F)
        got = fma(a, b, c)
        for x, y, z, w in zip(a, b, c, got):
            want = exactly(Fraction(float(x)) * Fraction(float(y)) + Fraction(float(z)))
            assert want == w, (x, y, z, w, want)
    # 1 + 2^-24 + a trace: f64 alone rounds the trace away and the tie goes down.
    assert fma(F(2.0**-80), F(1), F(1)) == F(1)
    assert fma(F(1 + 2.0**-12), F(1 + 2.0**-12), F(-2.0**-70)) == F(1 + 2.0**-11)


# The texture unit, sections 1 and 2.

def texel_coordinate(x, n, normalized):
    """Rule 1.2 and 1.3, in 1/2^52 of... a float64 that is exact for the coordinates of the examples."""
    x = np.where(np.isnan(x), F(0), x)
    if not normalized:
        return x.astype(np.float64)
    if n & (n - 1) == 0:
        return (x * F(n)).astype(np.float64)
    return np.floor(x.astype(np.float64) * 2.0**21) / 2.0**21 * n


def address(k, n, mode):
    """Rule 1.7: an index inside, and whether the texel is the border's."""
    if mode == "wrap":
        return k % n, np.zeros(k.shape, bool)
    if mode == "mirror":
        t = k % (2 * n)
        return np.where(t < n, t, 2 * n - 1 - t), np.zeros(k.shape, bool)
    inside = np.clip(k, 0, n - 1)
    return inside, (k != inside) & (mode == "border")


def axis_of(x, n, mode, normalized):
    """Rule 1.6: index of the lower texel and the integer weight of the upper one."""
    u = texel_coordinate(x, n, normalized)
    if mode == "clamp":
        u = np.clip(u, 0.5, n - 0.5)
    b = u - 0.5
    i = np.floor(b)
    a = np.floor((b - i) * 256 + 0.5).astype(np.int64)
    i = i.astype(np.int64)
    return np.where(a == 256, i + 1, i), np.where(a == 256, 0, a)


def upper(total, a):
    """rhu(total * a / 256)"""
    return (total * a + 128) >> 8


class Texture:
    """Texels [z][y][x][c]: uint8 codes, or float32."""

    def __init__(self, texels, modes, normalized=True, linear=True):
        self.texels, self.modes, self.normalized, self.linear = texels, modes, normalized, linear

    def codes(self, k, j, i):
        """The texels at unwrapped indices, border colour zero."""
        d, h, w, _ = self.texels.shape
        modes = list(self.modes) + ["clamp"] * (3 - len(self.modes))
        i, oi = address(i, w, modes[0])
        j, oj = address(j, h, modes[1])
        k, ok = address(k, d, modes[2])
        found = self.texels[k, j, i]
        return np.where((oi | oj | ok)[..., None], found.dtype.type(0), found)

    def point(self, x, y):
        i = np.floor(texel_coordinate(x, self.texels.shape[2], self.normalized)).astype(np.int64)
        j = np.floor(texel_coordinate(y, self.texels.shape[1], self.normalized)).astype(np.int64)
        return self.codes(np.zeros_like(i), j, i)

    def footprint(self, x, y=None, z=None):
        """Texels and integer weights that sum to 256: rule 2, split in the order z, x, y."""
        depth, height, width, _ = self.texels.shape
        i, a = axis_of(x, width, self.modes[0], self.normalized)
        if y is None:
            j, b = np.zeros_like(i), np.zeros_like(a)
        else:
            j, b = axis_of(y, height, self.modes[1], self.normalized)
        slices = [(np.zeros_like(i), np.full_like(a, 256))]
        if z is not None:
            k, c = axis_of(z, depth, self.modes[2], self.normalized)
            low = upper(256, 256 - c)
            slices = [(k, low), (k + 1, 256 - low)]
        texels, weights = [], []
        for k, total in slices:
            right = upper(total, a)
            left = total - right
            right_up = upper(right, b)
            left_low = upper(left, 256 - b)
            for dj, di, weight in [(0, 0, left_low), (0, 1, right - right_up), (1, 0, left - left_low), (1, 1, right_up)]:
                texels.append(self.codes(k, j + dj, i + di))
                weights.append(weight)
        assert (sum(weights) == 256).all()
        return np.stack(texels), np.stack(weights)

    def fetch(self, x, y=None, z=None):
        """A filtered fetch, float32 [..., c]."""
        texels, weights = self.footprint(x, y, z)
        if texels.dtype == np.uint8:
            total = (texels.astype(np.int64) * 257 * weights[..., None]).sum(axis=0)
            return ((total + 128) >> 8).astype(np.float32) / F(65535)
        # f32 texels, one footprint of 2x2: cut to 2^(E-27), sum, round to nearest, ties away from zero.
        values = texels.astype(np.float64)
        assert len(values) == 4 and ((values == 0) | (np.abs(values) > 1e-20)).all()
        counted = np.where(weights[..., None] > 0, np.abs(values), 0).max(axis=0)
        _, e = np.frexp(np.where(counted == 0, 1.0, counted))
        grid = e.astype(np.int64) - 1 - 27
        whole = np.trunc(np.ldexp(values, -grid)).astype(np.int64)
        total = (whole * weights[..., None]).sum(axis=0)
        size = np.abs(total)
        _, bits = np.frexp(size.astype(np.float64))
        drop = np.maximum(bits - 24, 0).astype(np.int64)
        size = np.where(drop > 0, ((size + (np.int64(1) << np.maximum(drop - 1, 0))) >> drop) << drop, size)
        return np.where(counted == 0, 0.0, np.sign(total) * np.ldexp(size.astype(np.float64), grid - 8)).astype(np.float32)


def picture(path):
    return np.asarray(Image.open(HERE / path).convert("RGBA"))[None]


def pixels(width, height):
    y, x = np.mgrid[0:height, 0:width]
    return x, y


def byte(value):
    """cvt.rzi.u32.f32, then the low byte (no example leaves 0..255)."""
    assert ((value >= 0) & (value < 256)).all()
    return np.trunc(value).astype(np.uint8)


def f32(*bits):
    """Constants by their bits, as the PTX has them."""
    values = [F(struct.unpack(">f", bytes.fromhex(b))[0]) for b in bits]
    return values if len(values) > 1 else values[0]


HALF, ONE, FULL = F(0.5), F(1), F(255)


def rotate(width, height, cosine, sine):
    t = Texture(picture("rotate/tiles.png"), ("wrap", "wrap"))
    x, y = pixels(width, height)
    u = (x.astype(F) + HALF) / F(width) - HALF
    v = (y.astype(F) + HALF) / F(height) - HALF
    cosine, sine = F(cosine), F(sine)
    p = t.fetch(fma(u, cosine, fma(-v, sine, HALF)), fma(v, cosine, fma(u, sine, HALF)))
    return byte(fma(p, FULL, HALF))


def sobel():
    t = Texture(picture("sobel/landscape.png"), ("clamp", "clamp"), normalized=False, linear=False)
    x, y = pixels(256, 256)

    def luma(dx, dy):
        p = t.point((x + dx).astype(F), (y + dy).astype(F)).astype(np.int64)
        return (77 * p[..., 0] + 150 * p[..., 1] + 29 * p[..., 2] + 128) >> 8

    gx = gy = 0
    for k, weight in ((-1, 1), (0, 2), (1, 1)):
        gx = gx + weight * (luma(1, k) - luma(-1, k))
        gy = gy + weight * (luma(k, 1) - luma(k, -1))
    length = np.sqrt((gx * gx + gy * gy).astype(F))
    assert length.dtype == np.float32
    return np.where(length > FULL, 255, np.trunc(np.minimum(length, FULL))).astype(np.uint8)


def bicubic(width, height, scale):
    t = Texture(picture("bicubic/flower.png"), ("clamp", "clamp"), normalized=False)
    sixth, three, six, four = f32("3e2aaaab", "40400000", "40c00000", "40800000")

    def axis(n):
        u = (np.arange(n).astype(F) + HALF) * F(scale) - HALF
        i = np.floor(u)
        a = u - i
        w0 = (a * (a * (three - a) - three) + ONE) * sixth
        w1 = ((a * a) * (a * three - six) + four) * sixth
        w2 = (a * (a * (three - a * three) + three) + ONE) * sixth
        w3 = (a * (a * a)) * sixth
        g0, g1 = w1 + w0, w3 + w2
        return g0, g1, i + (w1 / g0 - HALF), i + (w3 / g1 + F(1.5))

    gx0, gx1, x0, x1 = (np.broadcast_to(v, (height, width)) for v in axis(width))
    gy0, gy1, y0, y1 = (np.broadcast_to(v[:, None], (height, width)) for v in axis(height))
    a, b, c, d = t.fetch(x0, y0), t.fetch(x1, y0), t.fetch(x0, y1), t.fetch(x1, y1)
    gx0, gx1, gy0, gy1 = (g[..., None] for g in (gx0, gx1, gy0, gy1))
    value = gy0 * (a * gx0 + b * gx1) + gy1 * (c * gx0 + d * gx1)
    assert value.dtype == np.float32
    return byte(np.clip(value, F(0), ONE) * FULL + HALF)


def volume(width, height, steps, cosine, sine):
    density = Texture(np.load(HERE / "volume/knot.npy")[..., None], ("border",) * 3)
    colours = Texture(np.load(HERE / "volume/colours.npy")[None, None], ("clamp",))
    cosine, sine = F(cosine), F(sine)
    x, y = pixels(width, height)
    down = y.astype(F)
    a = ((x.astype(F) + HALF) / F(width) - HALF) * F(1.125)
    b = (HALF - (down + HALF) / F(height)) * F(1.125)
    p6, p8 = f32("3f19999a", "3f4ccccd")
    origin = [(a * cosine + HALF) + b * (sine * p6), b * p8 + HALF, (HALF - a * sine) + (cosine * p6) * b]
    forward = [sine * p8, -p6, cosine * p8]
    step = F(1.75) / F(steps)
    colour = [np.zeros((height, width), F) for _ in range(3)]
    clear = np.ones((height, width), F)
    going = np.ones((height, width), bool)
    for i in range(steps):
        k = step * (F(i) + HALF) - F(0.875)
        at = [o + f * k for o, f in zip(origin, forward)]
        active = going & np.logical_and.reduce([(v >= 0) & (v <= 1) for v in at])
        px, py, pz = (v[active] for v in at)
        here = density.fetch(px, py, pz)[..., 0]
        dense = ~(here < f32("3e19999a"))
        active[active] = dense
        px, py, pz, here = px[dense], py[dense], pz[dense], here[dense]
        c = colours.fetch(here)
        there = density.fetch(px + f32("bcf5c28f"), py + f32("3d4ccccd"), pz + f32("bcf5c28f"))[..., 0]
        light = np.maximum(here - there, F(0)) * F(2.5) + f32("3eb33333")
        share = clear[active] * c[..., 3]
        for n in range(3):
            colour[n][active] = colour[n][active] + share * (c[..., n] * light)
        clear[active] = clear[active] - share
        going[active] = ~(clear[active] < f32("3cf5c28f"))
    haze = (down / F(height) * f32("be19999a") + F(0.25)) * clear
    assert haze.dtype == np.float32
    red, green, blue = colour[0] + haze * p6, colour[1] + haze * p8, colour[2] + haze
    rgb = [byte(np.clip(v, F(0), ONE) * FULL + HALF) for v in (red, green, blue)]
    return np.stack(rgb + [np.full((height, width), 255, np.uint8)], axis=-1)


def surface_blur():
    p = np.pad(picture("surface-blur/window.png")[0].astype(np.int64), ((4, 4), (4, 4), (0, 0)), mode="edge")
    binomial = [1, 8, 28, 56, 70, 56, 28, 8, 1]
    rows = sum(w * p[:, k:k + 256] for k, w in enumerate(binomial))
    return ((sum(w * rows[k:k + 256] for k, w in enumerate(binomial)) + 32768) >> 16).astype(np.uint8)


def texref(width, height, bulge):
    t = Texture(picture("texref/chart.png"), ("mirror", "wrap"))
    x, y = pixels(width, height)
    x = (x.astype(F) + HALF) / F(width) - HALF
    y = (y.astype(F) + HALF) / F(height) - HALF
    rr = fma(y, y, x * x)
    k = fma(F(bulge), rr, f32("3f19999a"))
    p = t.fetch(fma(x, k, HALF), fma(y, k, HALF))[..., :3]
    shade = fma(rr, F(-1), ONE)
    p = np.clip(p * shade[..., None], F(0), ONE)
    return np.dstack([byte(fma(p, FULL, HALF)), np.full((height, width), 255, np.uint8)])


def independent(width, height):
    blocks = Texture(picture("independent/sprite.png"), ("wrap", "wrap"), linear=False)
    smooth = Texture(blocks.texels, ("wrap", "mirror"))
    x, y = pixels(width, height)
    right = (x >= width // 2)[..., None]
    x = x.astype(F) + HALF
    x = (x + x) / F(width)
    y = (y.astype(F) + HALF) / F(height)
    p = np.where(right, smooth.fetch(x, y), blocks.point(x, y).astype(F) / FULL)
    return byte(fma(p, FULL, HALF))


def opaque(*channels):
    """RGBA bytes of float colours: fma(c, 255, 0.5), cut."""
    rgb = [byte(fma(c, FULL, HALF)) for c in channels]
    return np.stack(rgb + [np.full(rgb[0].shape, 255, np.uint8)], axis=-1)


def box(texels):
    """The next mip level of bytes [z][y][x][c]: the mean of four, halves up."""
    t = texels.astype(np.int64)
    total = t[:, 0::2, 0::2] + t[:, 1::2, 0::2] + t[:, 0::2, 1::2] + t[:, 1::2, 1::2]
    return ((total + 2) >> 2).astype(np.uint8)


def mipmaps(texels, modes):
    levels = []
    while True:
        levels.append(Texture(texels, modes))
        if texels.shape[1] == 1:
            return levels
        texels = box(texels)


def lut():
    p = Texture(picture("sobel/landscape.png"), ("clamp", "clamp"), normalized=False, linear=False)
    x, y = pixels(256, 256)
    p = p.point(x.astype(F) + HALF, y.astype(F) + HALF).astype(F) / FULL
    table = Texture(picture("lut/table.png")[0].reshape(16, 16, 16, 4), ("clamp",) * 3)
    q = table.fetch(*(fma(p[..., n], F(0.9375), F(0.03125)) for n in range(3)))
    return opaque(q[..., 0], q[..., 1], q[..., 2])


def cube_face(x, y, z):
    """Section 7: the face and its coordinates. The quotient is the exact one, rounded once."""
    size = np.abs(np.stack([x, y, z]))
    major = np.where(size[2] >= np.maximum(size[0], size[1]), 2, np.where(size[1] >= size[0], 1, 0))
    negative = np.choose(major, [x, y, z]) < 0
    sc = np.choose(major, [np.where(negative, z, -z), x, np.where(negative, -x, x)])
    tc = np.choose(major, [-y, np.where(negative, -z, z), -y])
    ma = size.max(axis=0)
    s, t = (sc / ma + ONE) * HALF, (tc / ma + ONE) * HALF
    assert s.dtype == np.float32
    return major * 2 + negative, s, t


def sky(size):
    faces = picture("sky/skies.png")[0].reshape(12, 32, 32, 4)
    levels = [faces, box(faces), box(box(faces))]
    x, y = pixels(size, size)
    u = (x.astype(F) + HALF) / F(size) * F(2.5) - F(1.25)
    v = F(1.25) - (y.astype(F) + HALF) / F(size) * F(2.5)
    r = u * u + v * v
    ball = r < 1
    n = np.sqrt(np.where(ball, ONE - r, ONE))
    n2 = n + n
    assert n.dtype == np.float32

    def fetch(level, direction, cube):
        face, s, t = cube_face(*direction)
        face = face + 6 * cube
        out = np.zeros(face.shape + (4,), F)
        for f in range(12):
            at = face == f
            out[at] = Texture(levels[level][f:f + 1], ("clamp", "clamp")).fetch(s[at], t[at])
        return out

    mirrored = fetch(0, (n2 * u, n2 * v, n2 * n - ONE), u > v)
    behind = fetch(2, (u, v, np.full_like(u, -1.75)), 1)
    c = np.where(ball[..., None], mirrored, behind)
    return opaque(c[..., 0], c[..., 1], c[..., 2])


def layers(size):
    grounds = [Texture(picture(f"layers/{name}.png"), ("wrap", "wrap")) for name in ("sand", "grass", "rock")]
    tints = np.array([[[1, 1, 1, 1], [1, 0.75, 0.5, 1]], [[0.75, 0.875, 1, 1], [0.5, 0.5, 1, 1]]], np.float32)
    frame = picture("layers/frame.png")[0]
    x, y = pixels(size, size)
    u, v = (x.astype(F) + HALF) / F(size), (y.astype(F) + HALF) / F(size)
    at = v + v
    layer = at.astype(np.int64)
    a = (at - layer.astype(F))[..., None]
    u3, v3 = u * F(3), v * F(3)
    all_of_them = np.stack([g.fetch(u3, v3) for g in grounds])
    rows, columns = np.mgrid[0:size, 0:size]
    p, q = all_of_them[layer, rows, columns], all_of_them[layer + 1, rows, columns]
    # A layer of a layered 1D texture is filtered as true 1D: two texels, weights of one axis.
    t = np.stack([Texture(row[None, None], ("clamp", "clamp")).fetch(u, np.full_like(u, HALF)) for row in tints])
    t = t[layer, rows, columns]
    c = (p + (q - p) * a) * t
    c = np.dstack([byte(c[..., :3] * FULL + HALF), np.full((size, size), 255, np.uint8)])
    for where, row in ((y < 4, 0), (y >= size - 4, 1)):
        line = frame[row][np.minimum(x, 15)]
        c = np.where((where & (line[..., 3] > 0))[..., None], line, c)
    share = byte(a[..., 0] * FULL + HALF)
    return c.astype(np.uint8), np.dstack([share] * 3 + [np.full_like(share, 255)])


def blended():
    return layers(128)[0]


def factor():
    return layers(128)[1]


def shadow(size):
    texels = np.load(HERE / "shadow/depth.npy")[None, ..., None]
    t = Texture(texels, ("clamp", "clamp"))
    x, y = pixels(size, size)
    u = ((x * 2 & (size - 1)).astype(F) + ONE) / F(size)
    v = (y.astype(F) + HALF) / F(size)
    depth = HALF + v * F(0.25)
    found, weights = t.footprint(u, v)
    filtered = ((found[..., 0] >= depth) * weights).sum(axis=0).astype(F) / F(256)

    # A gather takes the footprint of linear filtering before the clamp, then clamps each index.
    def lower(c, n):
        b = c.astype(np.float64) * n - 0.5
        i = np.floor(b)
        return i.astype(np.int64) + (np.floor((b - i) * 256 + 0.5) == 256)

    i, j = lower(u, texels.shape[2]), lower(v, texels.shape[1])
    count = np.zeros(i.shape, np.int64)
    for dy in (-1, 1):
        for dx in (-1, 1):
            for k in (0, 1):
                for m in (0, 1):
                    row = np.clip(j + dy + k, 0, texels.shape[1] - 1)
                    column = np.clip(i + dx + m, 0, texels.shape[2] - 1)
                    count += texels[0, row, column, 0] >= depth
    lit = np.where(x < size // 2, filtered, count.astype(F) * F(0.0625))
    c = F(0.25) + lit * F(0.75)
    assert c.dtype == np.float32
    rgb = [byte(fma(c, F(k), HALF)) for k in (235, 215, 180)]
    return np.stack(rgb + [np.full_like(rgb[0], 255)], axis=-1)


def emboss():
    texels = picture("bicubic/flower.png")[0].astype(np.int64)
    h, w, _ = texels.shape
    # The border colour 0.5 is the byte 127.
    padded = np.pad(texels[..., :3], ((1, 1), (1, 1), (0, 0)), constant_values=127)
    a, b = (v.astype(F) / FULL for v in (padded[:h, :w], padded[2:, 2:]))
    d = b - a
    c = (d[..., 0] + d[..., 1]) + (d[..., 2] + HALF)
    return byte(fma(np.clip(c, F(0), ONE), FULL, HALF))


def luma():
    p = picture("sobel/landscape.png")[0].astype(np.int64)
    return (77 * p[..., 0] + 150 * p[..., 1] + 29 * p[..., 2] + 128) >> 8


def bins():
    return np.bincount(luma().ravel(), minlength=256).astype(np.uint32)


def ends():
    return np.array([luma().min(), luma().max()], np.uint32)


def formatted(kind):
    x, y = pixels(64, 64)
    if kind == "bytes":
        last = np.where(x < y, 255, np.minimum(x - y, 255))
        return np.stack([np.minimum(x * 5, 255), np.minimum(y * 5, 255), last, np.full_like(x, 255)], axis=-1).astype(np.uint8)
    if kind == "shorts":
        return np.stack([np.clip((v - 32) * 2000, -32768, 32767) for v in (x, y)], axis=-1).astype(np.int16)
    f = (x * y * 37.625).astype(np.float64)
    h = np.minimum(f, 65504).astype(np.float16)
    h = np.where(h.astype(np.float64) > f, np.nextafter(h, np.float16(0)), h)
    return np.stack([h, np.zeros_like(h)], axis=-1)


def half(size):
    t = Texture(picture("bicubic/flower.png"), ("clamp", "clamp"))
    x, y = pixels(size, size)
    p = t.fetch((x.astype(F) + HALF) / F(size), (y.astype(F) + HALF) / F(size)).astype(np.float16)
    return p * np.float16(1.5) + np.float16(0.125)


def resolve(size):
    both = picture("resolve/samples.png")[0].reshape(2, 4, size, size, 4).astype(F) / FULL
    x, _ = pixels(size, size)
    p = both[1]
    mean = (((p[0] + p[1]) + p[2]) + p[3]) * F(0.25)
    c = np.where((x < size // 2)[..., None], both[0, 0], mean)
    return opaque(c[..., 0], c[..., 1], c[..., 2])


def sparse(size):
    levels = mipmaps(picture("rotate/tiles.png"), ("wrap", "wrap"))
    x, y = pixels(size, size)
    u, v = (x.astype(F) + HALF) / F(size), (y.astype(F) + HALF) / F(size)
    i, a = axis_of(u, 256, "wrap", True)
    j, b = axis_of(v, 256, "wrap", True)

    # Of the base level those tiles are there whose column and row are equal.
    def there(i, j):
        return (i % 256 < 128) == (j % 256 < 128)

    resident = there(i, j)
    for dx, dy in ((1, 0), (0, 1), (1, 1)):
        counts = (a > 0 if dx else True) & (b > 0 if dy else True)
        resident = resident & (there(i + dx, j + dy) | ~counts)
    base, coarse = levels[0].fetch(u, v), levels[2].fetch(u, v)
    c = np.where(resident[..., None], base, coarse)
    rest = np.where(resident, ONE, HALF)
    return opaque(c[..., 0], c[..., 1] * rest, c[..., 2] * rest)


# Section 4: from gradients to a level.

# 256 * log2(1 + i / 256), as the unit has it.
LOG2 = np.array([int(n) for n in """
0 2 4 5 6 8 9 11 12 13 15 16 18 19 20 22
23 24 26 27 28 30 31 32 34 35 36 38 39 40 42 43
44 45 47 48 49 50 52 53 54 55 57 58 59 60 62 63
64 65 66 68 69 70 71 72 74 75 76 77 78 79 81 82
83 84 85 86 88 89 90 91 92 93 94 95 97 98 99 100
101 102 103 104 105 106 107 109 110 111 112 113 114 115 116 117
118 119 120 121 122 123 124 125 126 127 128 129 130 131 132 133
135 136 137 137 138 139 140 141 142 143 144 145 146 147 148 149
150 151 152 153 154 155 156 157 158 159 160 161 162 162 163 164
165 166 167 168 169 170 171 172 173 173 174 175 176 177 178 179
180 181 181 182 183 184 185 186 187 188 188 189 190 191 192 193
194 195 195 196 197 198 199 200 200 201 202 203 204 205 205 206
207 208 209 210 210 211 212 213 214 214 215 216 217 218 218 219
220 221 222 222 223 224 225 226 226 227 228 229 229 230 231 232
233 233 234 235 236 236 237 238 239 239 240 241 242 242 243 244
245 245 246 247 248 248 249 250 251 251 252 253 253 254 255 255
""".split()], np.int64)

def cut(value):
    """A float cut to ten significant bits, toward zero."""
    m, e = np.frexp(value)
    return np.ldexp(np.trunc(np.ldexp(m, 10)), e - 10)


def longer(u, v, diagonal):
    """length2, or diagonal2 of a sum and a difference: 10-bit floats in f64."""
    a, b = np.maximum(np.abs(u), np.abs(v)), np.minimum(np.abs(u), np.abs(v))

    def scaled(x, times, over, shift):
        m, e = np.frexp(x)
        k = e - 10
        whole = np.ldexp(m, 10)
        return np.ldexp(np.floor(whole * times / over + 0.5), k + shift)

    if diagonal:
        return cut(cut(scaled(a, 11, 8, -1)) + scaled(b, 121, 64, -3))
    return cut(a + scaled(b, 11, 8, -2))


def ten_bit_sum(a, b):
    larger, smaller = np.where(np.abs(a) >= np.abs(b), a, b), np.where(np.abs(a) >= np.abs(b), b, a)
    _, e = np.frexp(np.where(larger == 0, 1, larger))
    grid = e - 1 - 10
    return larger + np.ldexp(np.trunc(np.ldexp(smaller, -grid)), grid)


def gradient_level(dx, dy, n, levels):
    """The level in 1/256 for gradients (u, v) of a square texture of n texels, a power of two."""
    dx, dy = ([cut(c.astype(np.float64) * n) for c in d] for d in (dx, dy))
    plus = [ten_bit_sum(a, b) for a, b in zip(dx, dy)]
    minus = [ten_bit_sum(a, -b) for a, b in zip(dx, dy)]
    rho = np.maximum.reduce([
        longer(*dx, False), longer(*dy, False), longer(*map(cut, plus), True), longer(*map(cut, minus), True)
    ])
    table = LOG2
    m, e = np.frexp(rho)
    top = np.floor((m * 2 - 1) * 256).astype(np.int64)
    return np.clip(256 * (e - 1).astype(np.int64) + table[top], 0, 256 * (levels - 1))


def trilinear(levels, u, v, q):
    """Section 2, mip blend: each level splits its share of 256 over its own footprint."""
    total = np.zeros(u.shape + (4,), np.int64)
    low, share = q >> 8, q & 255
    for n, level in enumerate(levels):
        for part in (np.where(low == n, 256 - share, 0), np.where(low == n - 1, share, 0)):
            if not part.any():
                continue
            i, a = axis_of(u, level.texels.shape[2], "wrap", True)
            j, b = axis_of(v, level.texels.shape[1], "wrap", True)
            right = upper(part, a)
            left = part - right
            right_up, left_low = upper(right, b), upper(left, 256 - b)
            for dj, di, weight in [(0, 0, left_low), (0, 1, right - right_up), (1, 0, left - left_low), (1, 1, right_up)]:
                texel = level.codes(np.zeros_like(i), j + dj, i + di).astype(np.int64)
                total += texel * 257 * weight[..., None]
    return ((total + 128) >> 8).astype(np.float32) / F(65535)


def ground(width, height):
    levels = mipmaps(picture("rotate/tiles.png"), ("wrap", "wrap"))
    x, y = pixels(width, height)
    down = (y.astype(F) + ONE) / F(height)
    far = ONE / down
    side = (x.astype(F) + HALF) / F(width) - HALF
    u, v = side * far, far * HALF
    step = -(far * far) / F(height)
    dx = far / F(width), np.zeros_like(far)
    dy = side * step, HALF * step
    q = gradient_level(dx, dy, 256, len(levels))
    c = np.where((x < width // 2)[..., None], levels[0].fetch(u, v), trilinear(levels, u, v, q))
    return opaque(c[..., 0], c[..., 1], c[..., 2])


# What `queries` must answer, in the order of its instructions: docs/numerics.md 12.
ANSWERS = [64, 32, 0, 0x10D2, 0x10B5, 1, 3, 4, 0, 1, 0, 4, 3, 16, 8,
           40, 20, 10, 0x10D8, 0x10B2, 0, 0, 1, 1, 0, 1, 0]

EXAMPLES = {
    "rotate/expected/rotated.png": lambda: rotate(256, 256, 0.8910065, 0.4539905),
    "sobel/expected/edges.png": sobel,
    "bicubic/expected/enlarged.png": lambda: bicubic(384, 384, 0.125),
    "volume/expected/knot.png": lambda: volume(192, 192, 96, 0.8660254, 0.5),
    "surface-blur/expected/blurred.png": surface_blur,
    "texref/expected/lens.png": lambda: texref(320, 320, 1.6),
    "independent/expected/halves.png": lambda: independent(320, 160),
    "lut/expected/graded.png": lut,
    "sky/expected/ball.png": lambda: sky(160),
    "layers/expected/blended.png": blended,
    "layers/expected/factor.png": factor,
    "shadow/expected/shadows.png": lambda: shadow(128),
    "emboss/expected/relief.png": emboss,
    "queries/expected/answers.npy": lambda: np.array(ANSWERS, np.uint32),
    "histogram/expected/bins.npy": bins,
    "histogram/expected/ends.npy": ends,
    "formatted/expected/bytes.png": lambda: formatted("bytes"),
    "formatted/expected/shorts.npy": lambda: formatted("shorts"),
    "formatted/expected/halves.npy": lambda: formatted("halves"),
    "half/expected/brighter.npy": lambda: half(64),
    "resolve/expected/resolved.png": lambda: resolve(64),
    "sparse/expected/streamed.png": lambda: sparse(160),
    "ground/expected/horizon.png": lambda: ground(192, 96),
}


def main():
    self_test()
    wanted = sys.argv[1:]
    for path, compute in EXAMPLES.items():
        if wanted and path.split("/")[0] not in wanted:
            continue
        target = HERE / path
        target.parent.mkdir(exist_ok=True)
        if target.suffix == ".npy":
            np.save(target, compute())
        else:
            Image.fromarray(compute()).save(target, optimize=True)
        print(path)


if __name__ == "__main__":
    main()
