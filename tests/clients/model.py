"""What a filtered fetch gives, from its definition, in exact arithmetic.

Positions are multiples of 1/8 of a texel (in three dimensions of 1/4) and texels are small integers, so that no weight,
product or sum is rounded: the weights of a fetch are whole 256ths. Whoever interpolates gives exactly these numbers.
"""

import itertools

import numpy as np


def wrapped(index, size, mode):
    """The texel that an index outside of the texture means."""
    if mode == "clamp":
        return np.clip(index, 0, size - 1)
    if mode == "repeat":
        return np.mod(index, size)
    index = np.mod(index, 2 * size)
    return np.where(index < size, index, 2 * size - 1 - index)


def positions(sizes, count, seed=4):
    """Eighths of texels, x first: inside, on the edges, and outside on both sides."""
    generator = np.random.default_rng(seed)
    step = 2 if len(sizes) == 3 else 1
    return [generator.integers(-16 * size // step, 24 * size // step, count) * step for size in sizes]


def fetch(texels, eighths, mode, linear):
    """Values at positions in eighths of a texel (x first) of texels with shape (..., y, x, channel)."""
    sizes = texels.shape[-2::-1]
    corners, weights = [], []
    for axis, position in enumerate(eighths):
        if linear:
            # Texel centres are at halves.
            low = np.floor_divide(position - 4, 8)
            part = (position - 4 - 8 * low) / 8
            corners.append([wrapped(low + k, sizes[axis], mode) for k in (0, 1)])
            weights.append([1 - part, part])
        else:
            corners.append([wrapped(np.floor_divide(position, 8), sizes[axis], mode)])
            weights.append([np.ones(len(position))])
    total = np.zeros((len(eighths[0]), texels.shape[-1]))
    for choice in itertools.product(*[range(len(c)) for c in corners]):
        weight = np.ones(len(eighths[0]))
        for axis, k in enumerate(choice):
            weight = weight * weights[axis][k]
        index = tuple(corners[axis][choice[axis]] for axis in reversed(range(len(choice))))
        total += weight[:, None] * texels[index]
    return total
