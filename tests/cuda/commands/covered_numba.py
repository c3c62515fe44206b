"""A kernel of Numba with branches: 64 threads, of which ten take the first one and none the second."""

import _numba_cuda_redirector  # numba.cuda is numba-cuda's, also where .pth files are not read
import numpy as np
from numba import cuda


@cuda.jit(device=True)
def twice(x):
    return x * 2


@cuda.jit(lineinfo=True)
def fill(out):
    i = cuda.grid(1)
    if i < 10:  # mark: if
        out[i] = twice(i)  # mark: first
    elif i > 1000:  # mark: elif
        out[i] = 3  # mark: second
    else:
        out[i] = 1  # mark: last


if __name__ == "__main__":
    out = cuda.to_device(np.zeros(64, np.int32))
    fill[2, 32](out)
    print(out.copy_to_host().sum())
