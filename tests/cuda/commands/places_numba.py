"""A kernel of Numba that goes wrong at a marked line."""

import _numba_cuda_redirector  # numba.cuda is numba-cuda's, also where .pth files are not read
import numpy as np
from numba import cuda


@cuda.jit(lineinfo=True)
def fill(out):
    i = cuda.threadIdx.x
    if i < out.size:
        out[i + 16] = 7  # mark: store


if __name__ == "__main__":
    out = cuda.to_device(np.zeros(16, np.int32))  # mark: asked
    try:
        fill[1, 32](out)
        cuda.synchronize()
    except Exception as error:
        print(type(error).__name__)
