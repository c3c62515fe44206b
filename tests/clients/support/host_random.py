"""A plugin of pytest for CuPy: random numbers come from NumPy.

CuPy takes them from libcurand, whose kernels are machine code. The tests of textures only want some data.
"""

import cupy
import numpy


def random(size=None, dtype=float):
    return cupy.asarray(numpy.random.random(size), dtype=dtype)


def randint(low, high=None, size=None, dtype=int):
    return cupy.asarray(numpy.random.randint(low, high, size=size), dtype=dtype)


cupy.random.random = random
cupy.random.randint = randint
