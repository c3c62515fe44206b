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


EXAMPLES = {
    "rotate/expected/rotated.png": lambda: rotate(256, 256, 0.8910065, 0.4539905),
    "sobel/expected/edges.png": sobel,
    "bicubic/expected/enlarged.png": lambda: bicubic(384, 384, 0.125),
    "volume/expected/knot.png": lambda: volume(192, 192, 96, 0.8660254, 0.5),
    "surface-blur/expected/blurred.png": surface_blur,
    "texref/expected/lens.png": lambda: texref(320, 320, 1.6),
    "independent/expected/halves.png": lambda: independent(320, 160),
}


def main():
    self_test()
    wanted = sys.argv[1:]
    for path, compute in EXAMPLES.items():
        if wanted and path.split("/")[0] not in wanted:
            continue
        target = HERE / path
        target.parent.mkdir(exist_ok=True)
        Image.fromarray(compute()).save(target, optimize=True)
        print(path)


if __name__ == "__main__":
    main()
