#!/usr/bin/env python3
"""Draws the examples' inputs: small pictures, a volume and a transfer function, all from formulas."""
import pathlib

import numpy as np
from PIL import Image

HERE = pathlib.Path(__file__).parent


def save(path, colour):
    """`colour` is an array [y][x][3 or 4] of floats in 0..1."""
    if colour.shape[2] == 3:
        colour = np.dstack([colour, np.ones(colour.shape[:2])])
    codes = np.clip(np.floor(colour * 255 + 0.5), 0, 255).astype(np.uint8)
    Image.fromarray(codes, "RGBA").save(HERE / path, optimize=True)


def grid(width, height, fine=1):
    """Pixel centres in 0..1, `fine` samples a pixel and axis."""
    x = (np.arange(width * fine) + 0.5) / (width * fine)
    y = (np.arange(height * fine) + 0.5) / (height * fine)
    return np.meshgrid(x, y)


def shrink(colour, fine):
    h, w, c = colour.shape
    return colour.reshape(h // fine, fine, w // fine, fine, c).mean(axis=(1, 3))


def mix(a, b, t):
    return np.asarray(a) * (1 - t[..., None]) + np.asarray(b) * t[..., None]


def step(a, b, x):
    t = np.clip((x - a) / (b - a), 0, 1)
    return t * t * (3 - 2 * t)


def tiles():
    """An ornament that repeats without a seam: sums of waves on a torus."""
    u, v = grid(256, 256, 2)
    tau = 2 * np.pi
    a = np.cos(tau * 2 * u) + np.cos(tau * 2 * v)
    b = np.cos(tau * 2 * (u + v)) + np.cos(tau * 2 * (u - v))
    petals = a * 0.9 + b * 0.55
    c = mix((0.05, 0.16, 0.29), (0.96, 0.92, 0.80), step(-0.55, -0.50, petals))
    c = mix(c, (0.11, 0.45, 0.56), step(0.10, 0.15, petals))
    c = mix(c, (0.91, 0.68, 0.22), step(1.05, 1.10, petals))
    c = mix(c, (0.76, 0.24, 0.20), step(2.15, 2.20, petals))
    line = np.abs(np.cos(tau * (u + v)) * np.cos(tau * (u - v)))
    c = mix(c, (0.02, 0.09, 0.16), 1 - step(0.03, 0.07, line))
    return shrink(c * (0.92 + 0.08 * np.cos(tau * (u * 1 + v * 2)))[..., None], 2)


def ridge(x, seed, rough):
    rng = np.random.default_rng(seed)
    y = np.zeros_like(x)
    for k in range(1, 40):
        y += np.sin(2 * np.pi * (k * x * 0.7 + rng.random())) * rng.random() * k**-rough
    return y


def landscape():
    """Evening: a sky, the sun, three ridges, and water that shows them again."""
    x, y = grid(256, 256, 2)
    shore = 0.68
    m = np.where(y > shore, shore - (y - shore) * 1.7, y)
    m = m + np.where(y > shore, np.sin((y - shore) * 260) * 0.006 * (y - shore) * 8, 0)
    c = mix((0.16, 0.13, 0.36), (0.98, 0.55, 0.30), step(0.0, 0.6, m))
    c = mix(c, (1.0, 0.80, 0.45), 0.7 * np.exp(-((x - 0.62) ** 2 + (m - 0.42) ** 2) / 0.02))
    c = mix(c, (1.0, 0.95, 0.78), 1 - step(0.068, 0.072, np.hypot(x - 0.62, m - 0.42)))
    for seed, base, size, rough, dark in [
        (3, 0.47, 0.075, 1.1, (0.48, 0.29, 0.42)),
        (5, 0.55, 0.060, 1.0, (0.31, 0.20, 0.36)),
        (8, 0.63, 0.045, 0.9, (0.13, 0.10, 0.23)),
    ]:
        top = base - size * ridge(x, seed, rough)
        c = mix(c, dark, step(-0.002, 0.002, m - top))
    water = (y > shore).astype(float)
    return shrink(mix(c, (0.10, 0.12, 0.28), water * (0.25 + 0.5 * (y - shore))), 2)


def flower():
    """A daisy of few pixels, to be enlarged."""
    x, y = grid(48, 48, 8)
    dx, dy = x - 0.5, y - 0.47
    r, a = np.hypot(dx, dy), np.arctan2(dy, dx)
    c = mix((0.36, 0.62, 0.85), (0.78, 0.90, 0.97), step(0, 1, y))
    c = mix(c, (0.27, 0.55, 0.24), step(0.76, 0.78, y + 0.05 * np.sin(9 * x)))
    stem = (np.abs(dx + 0.04 * np.sin(6 * y)) < 0.022) & (dy > 0)
    c = mix(c, (0.16, 0.42, 0.16), stem.astype(float))
    petal = 0.36 * (0.55 + 0.45 * np.abs(np.cos(6.5 * a + 0.6))**0.7)
    c = mix(c, (0.97, 0.95, 0.98), step(-0.004, 0.004, petal - r))
    c = mix(c, (0.80, 0.66, 0.86), step(-0.004, 0.004, petal - r) * step(0.30, 0.12, r) * 0.8)
    c = mix(c, (0.98, 0.76, 0.14), step(0.125, 0.118, r))
    c = mix(c, (0.72, 0.42, 0.08), step(0.125, 0.118, r) * step(0.2, 0.9, np.sin(90 * dx) * np.sin(90 * dy)))
    return shrink(c, 8)


def window():
    """Stained glass: cells around random points, leaded."""
    x, y = grid(256, 256, 2)
    rng = np.random.default_rng(12)
    points = rng.random((70, 2))
    hue = rng.random(70)
    far = np.stack([np.hypot(x - px, y - py) for px, py in points])
    order = np.argsort(far, axis=0)
    near = np.take_along_axis(far, order[:2], axis=0)
    h = hue[order[0]]
    c = np.stack([0.5 + 0.45 * np.cos(2 * np.pi * (h + k)) for k in (0.0, 0.33, 0.67)], axis=-1)
    c = c * (1.1 - 2.2 * near[0])[..., None]
    lead = 1 - step(0.006, 0.012, near[1] - near[0])
    return shrink(mix(c, (0.07, 0.07, 0.09), lead), 2)


def chart():
    """Squared paper in a rainbow, with rings: straight lines that a lens bends."""
    x, y = grid(256, 256, 2)
    h = (x + y) / 2
    c = np.stack([0.62 + 0.33 * np.cos(2 * np.pi * (h + k)) for k in (0.0, 0.33, 0.67)], axis=-1)
    board = (np.floor(x * 8) + np.floor(y * 8)) % 2
    c = mix(c, (0.97, 0.97, 0.94), board * 0.75)
    fine = np.minimum(np.abs((x * 8 + 0.5) % 1 - 0.5), np.abs((y * 8 + 0.5) % 1 - 0.5))
    c = mix(c, (0.12, 0.14, 0.20), 1 - step(0.03, 0.06, fine))
    r = np.hypot(x - 0.5, y - 0.5)
    for radius in (0.15, 0.30, 0.45):
        c = mix(c, (0.75, 0.10, 0.15), 1 - step(0.006, 0.010, np.abs(r - radius)))
    return shrink(c, 2)


SPRITE = """
................
........k.......
.......rk.......
......wrk.......
.....wwrkw......
....wwwrkww.....
...wwwwrkwww....
..wwwwwrkwwww...
.wwwwwwrkwwwww..
........k.......
.bbbbbbbbbbbbbb.
..bgbbgbbgbbgb..
...bbbbbbbbbb...
~~~~bbbbbbbb~~~~
~~n~~~~n~~~~n~~~
~n~~~n~~~n~~~~~n
"""


def sprite():
    palette = {".": (0.62, 0.83, 0.95), "k": (0.25, 0.16, 0.12), "r": (0.85, 0.20, 0.18), "w": (0.99, 0.97, 0.92),
               "b": (0.52, 0.30, 0.16), "g": (0.95, 0.80, 0.35), "~": (0.16, 0.42, 0.68), "n": (0.55, 0.76, 0.90)}
    return np.array([[palette[c] for c in row] for row in SPRITE.split()])


def knot(n):
    """The density around a trefoil knot, [z][y][x], 8 bits."""
    t = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    curve = np.stack([np.sin(t) + 2 * np.sin(2 * t), np.sin(3 * t) * 1.1, np.cos(t) - 2 * np.cos(2 * t)], axis=-1) * 0.125
    c = (np.arange(n) + 0.5) / n - 0.5
    z, y, x = np.meshgrid(c, c, c, indexing="ij")
    voxels = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    far = np.full(len(voxels), 9.0)
    for point in curve:
        far = np.minimum(far, np.linalg.norm(voxels - point, axis=1))
    density = np.exp(-((far / 0.062) ** 2))
    shell = np.exp(-(((np.linalg.norm(voxels, axis=1) - 0.40) / 0.03) ** 2)) * (np.sin(voxels[:, 1] * 60) > 0.2) * 0.32
    return np.floor(np.maximum(density, shell) * 255 + 0.5).astype(np.uint8).reshape(n, n, n)


def colours(n):
    """Colour and opacity for a density, [x][4], f32."""
    at = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
    rows = np.array([
        [0.10, 0.30, 0.60, 0.00], [0.30, 0.60, 0.95, 0.03], [0.98, 0.80, 0.35, 0.08],
        [0.98, 0.52, 0.20, 0.25], [0.85, 0.25, 0.30, 0.60], [0.60, 0.15, 0.40, 0.95],
    ])
    x = np.linspace(0, 1, n)
    return np.stack([np.interp(x, at, rows[:, k]) for k in range(4)], axis=-1).astype(np.float32)


def table(n):
    """A grade: evening light, more contrast, shadows toward blue; slice by slice, [z * n + y][x]."""
    c = np.arange(n) / (n - 1)
    b, g, r = np.meshgrid(c, c, c, indexing="ij")
    luma = 0.3 * r + 0.59 * g + 0.11 * b
    warm = np.stack([step(0, 0.9, r), step(0.02, 1, g) * 0.92, step(0.05, 1.1, b) * 0.85 + 0.05], axis=-1)
    graded = mix(warm, (0.10, 0.16, 0.36), (1 - step(0, 0.45, luma)) * 0.6)
    return graded.reshape(n * n, n, 3)


def sky(n, night):
    """The six faces of a cube map, +x -x +y -y +z -z, one below the other: a sky over a desert."""
    s, t = grid(n, n)
    s, t = 2 * s - 1, 2 * t - 1
    one = np.ones_like(s)
    faces = [(one, -t, -s), (-one, -t, s), (s, one, t), (s, -one, -t), (s, -t, one), (-s, -t, -one)]
    rows = []
    for face in faces:
        x, y, z = np.stack(face) / np.linalg.norm(np.stack(face), axis=0)
        c = mix((0.95, 0.78, 0.60), (0.20, 0.42, 0.78), step(0.0, 0.7, y))
        cloud = np.sin(5 * x + 2 * z) * np.sin(4 * z - 3 * x) * step(0.1, 0.4, y)
        c = mix(c, (0.98, 0.97, 0.95), step(0.3, 0.6, cloud) * 0.8)
        sun = x * 0.6 + y * 0.5 - z * 0.62
        c = mix(c, (1.0, 0.95, 0.75), step(0.95, 0.97, sun))
        dune = y + 0.08 + 0.06 * np.sin(6 * np.arctan2(x, z))
        sand = mix((0.80, 0.55, 0.30), (0.50, 0.30, 0.18), step(0.0, -0.8, y))
        sand = sand * (0.9 + 0.1 * np.sin(14 * x / (0.3 - y)))[..., None]
        c = np.where((dune < 0)[..., None], sand, c)
        if night:
            star = step(0.93, 0.97, np.sin(37 * x) * np.sin(41 * y + 1) * np.sin(43 * z + 2)) * (dune > 0)
            c = mix(c * (0.16, 0.20, 0.42), (0.95, 0.95, 1.0), star)
        rows.append(c)
    return np.concatenate(rows)


def noise(n, seed, slope):
    """Waves of random phase on a torus, about -1 to 1."""
    u, v = grid(n, n)
    rng = np.random.default_rng(seed)
    total = np.zeros_like(u)
    for i in range(-6, 7):
        for j in range(-6, 7):
            if i or j:
                total += np.cos(2 * np.pi * (i * u + j * v + rng.random())) * np.hypot(i, j) ** -slope
    return total / np.abs(total).max()


def grounds(n):
    sand = mix((0.78, 0.66, 0.42), (0.93, 0.84, 0.62), step(-0.6, 0.6, noise(n, 1, 0.6)))
    grass = mix((0.13, 0.36, 0.10), (0.48, 0.68, 0.22), step(-0.5, 0.5, noise(n, 2, 0.3)))
    rock = mix((0.26, 0.25, 0.27), (0.72, 0.70, 0.68), step(-0.5, 0.5, noise(n, 3, 1.0)))
    return sand, grass, rock


def frame(n):
    """Two rows; alpha 0 is clear."""
    x = np.arange(n)
    dark = np.array([0.15, 0.10, 0.08, 1.0])
    rows = np.stack([np.where((x % 4 < 3)[:, None], dark, 0.0), np.where((x % 2 < 1)[:, None], dark, 0.0)])
    rows[:, -1] = (0.85, 0.65, 0.25, 1.0)
    return rows


def depth(n):
    """Distance from the light, [y][x], f32: a plane with a ring, a bar and a ball in front."""
    x, y = grid(n, n)
    far = 0.5 + y * 0.25
    out = far + 0.02
    r = np.hypot(x - 0.35, y - 0.4)
    out = np.where(np.abs(r - 0.2) < 0.06, far - 0.1, out)
    out = np.where((np.abs(x - 0.78) < 0.04) & (y > 0.15) & (y < 0.85), 0.4, out)
    out = np.where(np.hypot(x - 0.45, y - 0.8) < 0.11, 0.3, out)
    return out.astype(np.float32)


def samples(n, night):
    """Four samples a pixel at a rotated grid: sample by sample, one picture below the other."""
    rows = []
    for dx, dy in [(0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875)]:
        y, x = np.mgrid[0:n, 0:n]
        # Both halves show the same star.
        x, y = ((x % (n // 2)) + dx) / (n // 2) - 0.5, ((y + dy) / n - 0.5) * 2
        a = np.arctan2(y, x)
        star = np.hypot(x, y) < 0.28 + 0.12 * np.cos(5 * a) * np.where(np.abs(y) < 0.6, 1, 0)
        stripes = np.floor((x + 0.35 * y) * 9) % 2
        c = mix((0.10, 0.13, 0.22), (0.20, 0.27, 0.42), stripes)
        c = np.where(star[..., None], (0.98, 0.80, 0.25), c)
        rows.append(c if night else 1 - c)
    return np.concatenate(rows)


if __name__ == "__main__":
    save("lut/table.png", table(16))
    save("sky/skies.png", np.concatenate([sky(32, False), sky(32, True)]))
    for name, picture in zip(("sand", "grass", "rock"), grounds(32)):
        save(f"layers/{name}.png", picture)
    save("layers/frame.png", frame(16))
    np.save(HERE / "shadow/depth.npy", depth(64))
    save("resolve/samples.png", np.concatenate([samples(64, False), samples(64, True)]))
    save("rotate/tiles.png", tiles())
    save("sobel/landscape.png", landscape())
    save("bicubic/flower.png", flower())
    save("surface-blur/window.png", window())
    save("texref/chart.png", chart())
    save("independent/sprite.png", sprite())
    np.save(HERE / "volume/knot.npy", knot(48))
    np.save(HERE / "volume/colours.npy", colours(64))
