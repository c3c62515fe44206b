"""Products of square matrices by cuBLAS on texunit beside NumPy's OpenBLAS, each on one thread: milliseconds, and how many times as fast cuBLAS is.

    OPENBLAS_NUM_THREADS=1 TEXUNIT_THREADS=1 texunit run python3 bench/libraries/blas.py
"""

import ctypes
import time

import numpy as np

cudart, blas = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcublas.so.13")


def device(data):
    pointer = ctypes.c_void_p()
    assert cudart.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(data.nbytes)) == 0
    assert cudart.cudaMemcpy(pointer, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes), 1) == 0
    return pointer


def best(work, rounds):
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


handle = ctypes.c_void_p()
assert blas.cublasCreate_v2(ctypes.byref(handle)) == 0
print("type size OpenBLAS cuBLAS ratio")
for letter, dtype in (("S", np.float32), ("D", np.float64)):
    for n in (128, 256, 512, 1024):
        a, b = (np.random.default_rng(i).uniform(-1, 1, (n, n)).astype(dtype) for i in range(2))
        c = np.zeros((n, n), dtype)
        places = [device(x) for x in (a, b, c)]
        one, zero = (np.array([x], dtype) for x in (1, 0))
        scalars = [x.ctypes.data_as(ctypes.c_void_p) for x in (one, zero)]
        function = getattr(blas, f"cublas{letter}gemm_v2")

        def ours():
            assert function(handle, 0, 0, n, n, n, scalars[0], places[0], n, places[1], n, scalars[1], places[2], n) == 0

        rounds = max(5, 2000 // n)
        theirs = best(lambda: np.matmul(a, b, out=c), rounds)
        mine = best(ours, rounds)
        print(f"{letter} {n} {theirs * 1e3:.3f} {mine * 1e3:.3f} {theirs / mine:.2f}")
