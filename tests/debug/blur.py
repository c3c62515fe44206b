# Compiled by Numba with debug=True, opt=False for sm_80: blur.ptx.


def blur(out, src, n):
    i = cuda.grid(1)
    total = 0.0
    for k in range(-1, 2):
        j = i + k
        if j >= 0 and j < n:
            total += src[j]
    mean = total / 3.0
    if i < n:
        out[i] = mean


if __name__ == "__main__":
    from numba import cuda, types

    array = types.float64[:]
    text, _ = cuda.compile_ptx(blur, types.void(array, array, types.int64), debug=True, opt=False, cc=(8, 0))
    print(text)
