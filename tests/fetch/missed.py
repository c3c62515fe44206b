"""Cases for mistakes that all other cases had missed (docs/mutants.md). corners.py writes them."""

from casefile import File, bits, flat_levels
from rules import f

GRAD2, GRAD3 = "tex.grad.2d.v4.f32.f32", "tex.grad.3d.v4.f32.f32"


def missed():
    c = File("missed", "What mutants of the reference showed to have no case.")
    # Rule 4.12: the area between gradients is the sum of two products (48 and 16, 32 and 24) or their difference, as
    # their signs say. The level tells which.
    spec = flat_levels("2d", [256, 256])
    signs = [[1 - 2 * (n >> k & 1) for k in range(4)] for n in range(16)]
    for name, lengths in (("first", (8, 4, 4, 6)), ("second", (8, 6, 4, 4)), ("one", (8, 0, 4, 6)), ("other", (0, 8, 6, 4))):
        rows = [[s * n / 256 for s, n in zip(row, lengths)] for row in signs]
        c.fetch(f"areas-{name}", "4.12", spec, GRAD2, [bits(0.4, 0.3)] * 16, dpdx=[bits(*r[:2]) for r in rows], dpdy=[bits(*r[2:]) for r in rows],
                normalized=True, sampler={"filter": "linear", "mip_filter": "point", "max_anisotropy": 16})
    # Rule 4.9: a difference of 1 and less, of which ten bits are kept: a coordinate near 0 tells by its sign alone
    # whether it is 1 or the next number below, wherever its own bits lie.
    box = flat_levels("3d", [64, 16, 20])
    small = [sign * scale * 2.0**-e for e in (20, 41, 45, 50, 55, 60, 64, 65, 70, 100, 126, 149) for sign in (1, -1) for scale in ((1, 1 + 2.0**-23) if e < 149 else (1,))]
    points = [bits(x, 0.0, 0.0) for x in small]
    c.fetch("quads-of-small-coordinates", "4.9; 4.2", box, GRAD3, points, dpdx=[bits(1.0, 0, 0)] * len(points), dpdy=[bits(0, 0, 0)] * len(points),
            normalized=True, sampler={"filter": "linear", "mip_filter": "linear", "bias": f(-2.0)})
    return c
