# The kernel of places.cu for Numba.
from numba import cuda


@cuda.jit(device=True, inline="always")
def blend(x, y):
    return x * y + x


@cuda.jit(device=True)
def put(out, i, x):
    out[i] = blend(x, 3)


def places(out, x, n):
    i = cuda.threadIdx.x
    if i < n:
        put(out, i, x)
    out[i + 64] = x
