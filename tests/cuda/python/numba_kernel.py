"""Kernels that Numba compiles: arrays, shared memory, atomics."""

import _numba_cuda_redirector  # numba.cuda is numba-cuda's, also where .pth files are not read
import numpy as np
from numba import cuda, float32


@cuda.jit
def scale(out, values, factor):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = values[i] * factor


@cuda.jit
def block_sums(sums, values):
    shared = cuda.shared.array(32, float32)
    i = cuda.threadIdx.x
    shared[i] = values[cuda.grid(1)]
    cuda.syncthreads()
    step = 16
    while step:
        if i < step:
            shared[i] += shared[i + step]
        cuda.syncthreads()
        step //= 2
    if i == 0:
        cuda.atomic.add(sums, cuda.blockIdx.x % 2, shared[0])


def main():
    print(tuple(cuda.get_current_device().compute_capability))
    values = np.arange(128, dtype=np.float32)
    out = np.zeros_like(values)
    scale[4, 32](out, values, np.float32(0.5))
    print(out[:5].tolist(), float(out[-1]))
    sums = cuda.to_device(np.zeros(2, np.float32))
    block_sums[4, 32](sums, cuda.to_device(values))
    print(sums.copy_to_host().tolist())


main()
