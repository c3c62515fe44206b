"""Random plans of cuFFT and cuFFTW, through ctypes, against SciPy in double precision: layouts, batches, types, directions, sizes, both versions
of the libraries. Prints how many were right; ends with 1 at the first that is not."""

import ctypes
import sys
from random import Random

import numpy as np
import scipy.fft

C2C, R2C, C2R = "c2c", "r2c", "c2r"
TYPES = {(C2C, 4): 0x29, (R2C, 4): 0x2A, (C2R, 4): 0x2C, (C2C, 8): 0x69, (R2C, 8): 0x6A, (C2R, 8): 0x6C}
EXEC = {0x29: "C2C", 0x2A: "R2C", 0x2C: "C2R", 0x69: "Z2Z", 0x6A: "D2Z", 0x6C: "Z2D"}
# cudaDataType of real and complex half precision.
HALF = {C2C: (6, 6), R2C: (2, 6), C2R: (6, 2)}
UNIT = {2: 2.0**-11, 4: 2.0**-24, 8: 2.0**-53}
REAL = {2: np.float16, 4: np.float32, 8: np.float64}

cudart = ctypes.CDLL("libcudart.so.13")
LIBRARIES = [ctypes.CDLL("libcufft.so.11"), ctypes.CDLL("libcufft.so.12")]
FFTW = [ctypes.CDLL("libcufftw.so.11"), ctypes.CDLL("libcufftw.so.12")]


def check(code, what):
    if code != 0:
        sys.exit(f"{what}: {code}")


class Memory:
    """Memory of the device, with bytes of which those that nothing writes stay as they are."""

    def __init__(self, data):
        self.size = data.nbytes
        self.pointer = ctypes.c_void_p()
        check(cudart.cudaMalloc(ctypes.byref(self.pointer), ctypes.c_size_t(self.size)), "cudaMalloc")
        check(cudart.cudaMemcpy(self.pointer, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.size), 1), "cudaMemcpy")

    def read(self):
        data = np.empty(self.size, np.uint8)
        check(cudart.cudaMemcpy(data.ctypes.data_as(ctypes.c_void_p), self.pointer, ctypes.c_size_t(self.size), 2), "cudaMemcpy")
        return data

    def free(self):
        check(cudart.cudaFree(self.pointer), "cudaFree")


def strided(buffer, dtype, batch, counts, layout):
    """The elements of a layout, as a view of the bytes."""
    embed, stride, distance = layout
    size = np.dtype(dtype).itemsize
    strides, step = [], stride
    for n in reversed(range(len(counts))):
        strides.insert(0, step * size)
        step *= embed[n]
    return np.lib.stride_tricks.as_strided(buffer.view(dtype), (batch, *counts), (distance * size, *strides))


def span(batch, counts, layout):
    """Elements from the first to the last."""
    embed, stride, distance = layout
    last, step = (batch - 1) * distance, stride
    for n in reversed(range(len(counts))):
        last += (counts[n] - 1) * step
        step *= embed[n]
    return last + 1


def basic(counts):
    return list(counts), 1, int(np.prod(counts))


def complex_of(real):
    """Pairs of numbers; NumPy has no complex half precision."""
    return np.dtype([("re", real), ("im", real)])


def values(view):
    if view.dtype.names:
        return view["re"].astype(np.float64) + 1j * view["im"].astype(np.float64)
    return view.astype(np.float64)


def put(view, data):
    if view.dtype.names:
        view["re"], view["im"] = data.real, data.imag
    else:
        view[...] = data


def by_fftw(fftw, kind, width, sizes, batch, layouts, given, arrays, forward):
    """Executes a plan of cuFFTW on arrays of the host."""
    of = "fftw" if width == 8 else "fftwf"
    ints = ctypes.c_int * len(sizes)
    arguments = [len(sizes), ints(*sizes), batch]
    for array, (embed, stride, distance) in zip(arrays, layouts):
        arguments += [array.ctypes.data_as(ctypes.c_void_p), ints(*embed) if given else None, stride, distance]
    if kind == C2C:
        arguments.append(-1 if forward else 1)
    make = getattr(fftw, f"{of}_plan_many_dft" + ("" if kind == C2C else f"_{kind}"))
    make.restype = ctypes.c_void_p
    plan = ctypes.c_void_p(make(*arguments, 1))
    if not plan:
        sys.exit(f"{make}: no plan")
    getattr(fftw, f"{of}_execute")(plan)
    getattr(fftw, f"{of}_destroy_plan")(plan)


def by_cufft(random, kind, width, sizes, batch, layouts, given, in_place, buffers, forward):
    """Executes a plan of cuFFT on memory of the device; returns the bytes of the output."""
    rank = len(sizes)
    fft = random.choice(LIBRARIES)
    plan, work = ctypes.c_int(), ctypes.c_size_t()
    wide = ctypes.c_longlong * rank
    narrow = ctypes.c_int * rank
    if width == 2:
        check(fft.cufftCreate(ctypes.byref(plan)), "cufftCreate")
        sides = []
        for side in range(2):
            embed, stride, distance = layouts[side]
            sides += [wide(*embed) if given else None, ctypes.c_longlong(stride), ctypes.c_longlong(distance), HALF[kind][side]]
        code = fft.cufftXtMakePlanMany(plan, rank, wide(*sizes), *sides, ctypes.c_longlong(batch), ctypes.byref(work), 6)
        check(code, "cufftXtMakePlanMany")
    elif not given and rank == 1:
        check(fft.cufftPlan1d(ctypes.byref(plan), sizes[0], TYPES[kind, width], batch), "cufftPlan1d")
    elif not given and batch == 1:
        function = fft.cufftPlan2d if rank == 2 else fft.cufftPlan3d
        check(function(ctypes.byref(plan), *sizes, TYPES[kind, width]), "cufftPlan2d")
    else:
        sides = []
        for embed, stride, distance in layouts:
            sides += [narrow(*embed) if given else None, stride, distance]
        code = fft.cufftPlanMany(ctypes.byref(plan), rank, narrow(*sizes), *sides, TYPES[kind, width], batch)
        check(code, "cufftPlanMany")
    memory = [Memory(buffers[0])]
    memory.append(memory[0] if in_place else Memory(buffers[1]))
    arguments = [plan, memory[0].pointer, memory[1].pointer]
    direction = -1 if forward else 1
    if width == 2:
        check(fft.cufftXtExec(*arguments, direction), "cufftXtExec")
    else:
        name = EXEC[TYPES[kind, width]]
        check(getattr(fft, f"cufftExec{name}")(*arguments, *([direction] if kind == C2C else [])), name)
    result = memory[1].read()
    check(fft.cufftDestroy(plan), "cufftDestroy")
    for part in memory[: 1 if in_place else 2]:
        part.free()
    return result


def one(random, rng):
    kind = random.choice([C2C, R2C, C2R])
    width = random.choice([4, 8, 4, 8, 4, 8, 2])
    rank = random.choice([1, 1, 2, 3])
    largest = {1: 3000, 2: 70, 3: 20}[rank]
    if width == 2:
        sizes = [2 ** random.randint(0, {1: 12, 2: 6, 3: 4}[rank]) for _ in range(rank)]
    else:
        sizes = [random.choice([random.randint(1, largest), 2 ** random.randint(0, largest.bit_length() - 1)]) for _ in range(rank)]
    batch = random.choice([1, 1, 2, 5])
    half = [*sizes[:-1], sizes[-1] // 2 + 1]
    counts = [half if kind == C2R else sizes, half if kind == R2C else sizes]
    real = REAL[width]
    dtypes = [np.dtype(real) if kind == R2C else complex_of(real), np.dtype(real) if kind == C2R else complex_of(real)]
    given = random.random() < 0.6
    in_place = not given and random.random() < 0.5
    layouts = []
    for side in range(2):
        if given:
            embed = [n + random.randint(0, 3) for n in counts[side]]
            stride = random.randint(1, 3)
            distance = int(np.prod(embed)) * stride + random.randint(0, 5)
            if stride >= batch and random.random() < 0.3:
                distance = 1
            layouts.append((embed, stride, distance))
        else:
            embed, stride, distance = basic(counts[side])
            if in_place and not dtypes[side].names:
                embed[-1] = 2 * (embed[-1] // 2 + 1)
                distance = int(np.prod(embed))
            layouts.append((embed, stride, distance))
    sizes_of = [span(batch, counts[side], layouts[side]) * dtypes[side].itemsize for side in range(2)]
    buffers = [rng.integers(0, 256, (size + 15) // 16 * 16, np.uint8) for size in sizes_of]
    if in_place:
        buffers[0] = buffers[1] = rng.integers(0, 256, max(b.nbytes for b in buffers), np.uint8)
    shape = (batch, *sizes)
    axes = tuple(range(1, rank + 1))
    data = rng.uniform(-1, 1, shape)
    if kind == C2C:
        data = data + 1j * rng.uniform(-1, 1, shape)
    elif kind == C2R:
        data = scipy.fft.rfftn(data, axes=axes)
        if width == 2:
            data /= np.abs(data).max()
    view = strided(buffers[0], dtypes[0], batch, counts[0], layouts[0])
    put(view, data)
    exact = values(view)
    forward = kind == R2C or (kind == C2C and random.random() < 0.5)
    if kind == R2C:
        want = scipy.fft.rfftn(exact, axes=axes)
    elif kind == C2R:
        want = scipy.fft.irfftn(exact, s=sizes, axes=axes, norm="forward")
    else:
        want = scipy.fft.fftn(exact, axes=axes) if forward else scipy.fft.ifftn(exact, axes=axes, norm="forward")
    if width == 2 and np.abs(want).max() > 60000:
        return False

    if width != 2 and random.random() < 0.25:
        arrays = [buffer.copy() for buffer in buffers]
        if in_place:
            arrays[1] = arrays[0]
        by_fftw(random.choice(FFTW), kind, width, sizes, batch, layouts, given, arrays, forward)
        result = arrays[1]
    else:
        result = by_cufft(random, kind, width, sizes, batch, layouts, given, in_place, buffers, forward)
    got = values(strided(result, dtypes[1], batch, counts[1], layouts[1]))
    error = np.linalg.norm(got - want) / max(np.linalg.norm(want), 1e-300)
    bound = UNIT[width] * (1 + 2 * np.log2(float(np.prod(sizes))))
    what = f"{kind}{width} {sizes} batch {batch} layouts {layouts if given else None} in place {in_place} forward {forward}"
    if not error <= bound:
        sys.exit(f"error {error:.3g}, at most {bound:.3g} is right: {what}")
    # Nothing but the output is written.
    untouched = np.ones(result.nbytes, bool)
    strided(untouched.view(np.uint8), dtypes[1], batch, counts[1], layouts[1])[...] = np.zeros((), dtypes[1])
    if not in_place and (result[untouched] != buffers[1][untouched]).any():
        sys.exit(f"bytes between the results are written: {what}")
    return True


def error_of(sizes, width, rng):
    """The error of a complex transform, relative to the norm of the result; the exact one is computed with 64 bits and more of precision."""
    data = np.empty(sizes, complex_of(REAL[width]))
    put(data, rng.uniform(-1, 1, sizes) + 1j * rng.uniform(-1, 1, sizes))
    exact = data["re"].astype(np.longdouble) + 1j * data["im"].astype(np.longdouble)
    want = scipy.fft.fftn(exact)
    plan, memory, fft = ctypes.c_int(), Memory(data), LIBRARIES[1]
    function = [fft.cufftPlan1d, fft.cufftPlan2d, fft.cufftPlan3d][len(sizes) - 1]
    batch = [1] if len(sizes) == 1 else []
    check(function(ctypes.byref(plan), *sizes, TYPES[C2C, width], *batch), "cufftPlan")
    check(getattr(fft, f"cufftExec{EXEC[TYPES[C2C, width]]}")(plan, memory.pointer, memory.pointer, -1), "cufftExec")
    made = memory.read().view(data.dtype).reshape(sizes)
    got = made["re"].astype(np.longdouble) + 1j * made["im"].astype(np.longdouble)
    check(fft.cufftDestroy(plan), "cufftDestroy")
    memory.free()
    return float(np.sqrt((np.abs(got - want) ** 2).sum() / (np.abs(want) ** 2).sum()))


SIZES = [[2], [16], [128], [1024], [2**14], [2**17], [2**20], [3], [97], [1009], [65537], [999983], [1000], [100000], [360, 360], [512, 512],
         [127, 131], [64, 64, 64], [60, 45, 50]]


def table():
    rng = np.random.default_rng(52)
    print("| size | single precision | double precision |\n|---|---|---|")
    for sizes in SIZES:
        errors = [error_of(sizes, width, rng) for width in (4, 8)]
        units = [error / UNIT[width] for error, width in zip(errors, (4, 8))]
        if max(units) > 1 + 2 * np.log2(float(np.prod(sizes))):
            sys.exit(f"the error of {sizes} is {units} units")
        cells = [f"{error:.1e} ({unit:.2f} u)" for error, unit in zip(errors, units)]
        print(f"| {' x '.join(map(str, sizes))} | {' | '.join(cells)} |")


def main():
    if sys.argv[1:] == ["table"]:
        return table()
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 52
    done = sum(one(Random(seed * 1_000_003 + i), np.random.default_rng([seed, i])) for i in range(count))
    print(f"{done} of {count} plans compared, all are right")


main()
