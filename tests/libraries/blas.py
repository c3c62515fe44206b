"""Random calls of cuBLAS and cuBLASLt, through ctypes, against NumPy in double precision: types, operations, halves, steps, leading dimensions, pointer modes,
both versions of the library. Prints how many were right; ends with 1 at the first that is not."""

import ctypes
import sys
from random import Random

import numpy as np

cudart = ctypes.CDLL("libcudart.so.13")
LIBRARIES = [ctypes.CDLL("libcublas.so.12"), ctypes.CDLL("libcublas.so.13")]
LIGHT = [ctypes.CDLL("libcublasLt.so.12"), ctypes.CDLL("libcublasLt.so.13")]
TYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
REAL = {"S": "S", "D": "D", "C": "S", "Z": "D"}
UNIT = {"S": 2.0**-24, "D": 2.0**-53, "C": 2.0**-24, "Z": 2.0**-53}
N, T, C = range(3)


def check(code, what):
    if code != 0:
        sys.exit(f"{what}: {code}")


class Device:
    """An array on the device, with everything between its elements as it was."""

    def __init__(self, data):
        self.before = data.copy()
        self.pointer = ctypes.c_void_p()
        check(cudart.cudaMalloc(ctypes.byref(self.pointer), ctypes.c_size_t(max(data.nbytes, 1))), "cudaMalloc")
        check(cudart.cudaMemcpy(self.pointer, data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes), 1), "cudaMemcpy")

    def read(self):
        data = np.empty_like(self.before)
        check(cudart.cudaMemcpy(data.ctypes.data_as(ctypes.c_void_p), self.pointer, ctypes.c_size_t(data.nbytes), 2), "cudaMemcpy")
        return data

    def free(self):
        check(cudart.cudaFree(self.pointer), "cudaFree")


class Call:
    """One call: its arguments, and what comes of them."""

    def __init__(self, random, rng):
        self.random, self.rng = random, rng
        self.letter = random.choice("SDCZ")
        self.type = TYPES[self.letter]
        self.library = random.choice(LIBRARIES)
        self.on_device = random.random() < 0.3
        self.handle = ctypes.c_void_p()
        self.devices = []
        check(self.library.cublasCreate_v2(ctypes.byref(self.handle)), "cublasCreate")
        check(self.library.cublasSetPointerMode_v2(self.handle, int(self.on_device)), "cublasSetPointerMode")

    def numbers(self, shape, dtype=None):
        dtype = np.dtype(dtype or self.type)
        data = self.rng.uniform(-1, 1, shape)
        if dtype.kind == "c":
            data = data + 1j * self.rng.uniform(-1, 1, shape)
        return data.astype(dtype)

    def size(self, least=0):
        return self.random.choice([least, 1, self.random.randint(1, 9), self.random.randint(1, 70)]) or least

    def put(self, data):
        self.devices.append(Device(np.ascontiguousarray(data)))
        return self.devices[-1]

    def vector(self, n):
        """A vector with a step: its elements, the array on the device, and the step."""
        step = self.random.choice([1, 1, 2, 3, -1, -2])
        buffer = self.numbers(max(1, n * abs(step)))
        return Vector(self, buffer, n, step)

    def matrix(self, rows, columns, solved=False):
        """A matrix; of equations, one that is not nearly singular, with a unit diagonal or its own."""
        leading = max(1, rows) + self.random.choice([0, 0, 1, 5])
        data = self.numbers((max(1, columns), leading))
        if solved:
            data = (data / max(1, rows) + np.eye(*data.shape)).astype(data.dtype)
        return Matrix(self, data, rows, columns, leading)

    def scalar(self, value=None, dtype=None):
        dtype = np.dtype(dtype or self.type)
        if value is None:
            value = self.random.choice([0, 1, self.numbers(1, dtype)[0]])
        host = np.array([value], dtype)
        self.keep = getattr(self, "keep", []) + [host]
        if self.on_device:
            return host[0], self.put(host).pointer
        return host[0], host.ctypes.data_as(ctypes.c_void_p)

    def call(self, name, *arguments):
        wide = self.random.random() < 0.5
        integer = ctypes.c_int64 if wide else ctypes.c_int
        made = [integer(a.value) if isinstance(a, Int) else a for a in arguments]
        self.name = f"cublas{name}{'_64' if wide else ''}"
        check(getattr(self.library, self.name)(self.handle, *made), f"{self.name}{[getattr(a, 'value', a) for a in made]}")

    def result(self, name, *arguments, dtype=None):
        dtype = np.dtype(dtype or self.type)
        host = np.zeros(1, dtype)
        if self.on_device:
            place = self.put(host)
            self.call(name, *arguments, place.pointer)
            return place.read()[0]
        self.call(name, *arguments, host.ctypes.data_as(ctypes.c_void_p))
        return host[0]

    def near(self, got, want, terms=1, scale=None):
        want = np.asarray(want)
        size = np.abs(want).max(initial=0) if scale is None else scale
        error = np.abs(np.asarray(got).astype(np.complex128) - want).max(initial=0)
        bound = UNIT[self.letter] * 8 * (terms + 4) * max(size, 1)
        if not error <= bound:
            sys.exit(f"error {error:.3g}, at most {bound:.3g} is right: {self.name} on device {self.on_device}")

    def end(self):
        for device in self.devices:
            device.free()
        check(self.library.cublasDestroy_v2(self.handle), "cublasDestroy")


class Int:
    """An integer, of 32 or 64 bits as the function wants it."""

    def __init__(self, value):
        self.value = value


class Vector:
    def __init__(self, call, buffer, n, step):
        self.n, self.step = n, step
        self.device = call.put(buffer)
        self.pointer = self.device.pointer
        self.value = self.of(buffer).astype(np.complex128)

    def of(self, buffer):
        picked = buffer[:: abs(self.step)][: self.n]
        return picked[::-1] if self.step < 0 else picked

    def read(self):
        data = self.device.read()
        mask = np.ones(data.shape, bool)
        self.of(mask)[...] = False
        if (data[mask] != self.device.before[mask]).any():
            sys.exit("what is between the elements of a vector was written")
        return self.of(data)


class Matrix:
    def __init__(self, call, buffer, rows, columns, leading):
        self.rows, self.columns, self.leading = rows, columns, leading
        self.device = call.put(buffer)
        self.pointer = self.device.pointer
        self.value = self.of(buffer).astype(np.complex128)

    def of(self, buffer):
        return buffer[: self.columns, : self.rows].T

    def read(self):
        data = self.device.read()
        mask = np.ones(data.shape, bool)
        self.of(mask)[...] = False
        if (data[mask] != self.device.before[mask]).any():
            sys.exit("what is between the columns of a matrix was written")
        return self.of(data)


def op(a, operation):
    return [a, a.T, a.conj().T][operation]


def whole(a, upper, hermitian):
    half = np.triu(a) if upper else np.tril(a)
    strict = half - np.diag(np.diag(half))
    diagonal = np.diag(np.diag(half).real) if hermitian else np.diag(np.diag(half))
    return strict + (strict.conj().T if hermitian else strict.T) + diagonal


def level1(c):
    n = c.size()
    x, y = c.vector(n), c.vector(n)
    letter = c.letter
    complex_ = letter in "CZ"
    what = c.random.choice(["axpy", "dot", "nrm2", "asum", "scal", "copy", "swap", "amax", "rot"])
    pair = (Int(n), x.pointer, Int(x.step), y.pointer, Int(y.step))
    if what == "axpy":
        alpha, pointer = c.scalar()
        c.call(f"{letter}axpy_v2", Int(n), pointer, *pair[1:])
        c.near(y.read(), alpha * x.value + y.value)
    elif what == "dot":
        conjugates = complex_ and c.random.random() < 0.5
        name = f"{letter}dot{('c' if conjugates else 'u') if complex_ else ''}_v2"
        c.near(c.result(name, *pair), ((x.value.conj() if conjugates else x.value) * y.value).sum(), n, n)
    elif what in ("nrm2", "asum"):
        prefix = {"S": "S", "D": "D", "C": "Sc", "Z": "Dz"}[letter]
        got = c.result(f"{prefix}{what}_v2", Int(n), x.pointer, Int(x.step), dtype=TYPES[REAL[letter]])
        value = x.value if x.step > 0 else x.value[:0]
        want = np.sqrt((np.abs(value) ** 2).sum()) if what == "nrm2" else (np.abs(value.real) + np.abs(value.imag)).sum()
        c.near(got, want, 1)
    elif what == "scal":
        alpha, pointer = c.scalar()
        c.call(f"{letter}scal_v2", Int(n), pointer, x.pointer, Int(x.step))
        c.near(x.read(), alpha * x.value)
    elif what == "copy":
        c.call(f"{letter}copy_v2", *pair)
        c.near(y.read(), x.value)
    elif what == "swap":
        c.call(f"{letter}swap_v2", *pair)
        c.near(y.read(), x.value)
        c.near(x.read(), y.value)
    elif what == "amax":
        if c.on_device or x.step < 0:
            return
        place = np.zeros(2, np.int64)
        c.call(f"I{letter.lower()}amax_v2", Int(n), x.pointer, Int(x.step), place.ctypes.data_as(ctypes.c_void_p))
        sizes = (np.abs(x.value.real) + np.abs(x.value.imag)).astype(np.float64)
        if n and place[0] != sizes.argmax() + 1:
            sys.exit(f"{c.name}: {place[0]} of {sizes}")
    else:
        cosine, first = c.scalar(0.6, TYPES[REAL[letter]])
        sine, second = c.scalar()
        c.call(f"{letter}rot_v2", *pair, first, second)
        c.near(x.read(), cosine * x.value + sine * y.value)
        c.near(y.read(), cosine * y.value - np.conj(sine) * x.value)


def level2(c):
    m, n, letter = c.size(), c.size(), c.letter
    complex_ = letter in "CZ"
    what = c.random.choice(["gemv", "ger", "symv", "hemv", "syr", "trmv", "trsv"])
    alpha, a_pointer = c.scalar()
    beta, b_pointer = c.scalar()
    upper = c.random.random() < 0.5
    trans = c.random.choice([N, T, C])
    if what == "gemv":
        a = c.matrix(m, n)
        x, y = c.vector(n if trans == N else m), c.vector(m if trans == N else n)
        c.call(f"{letter}gemv_v2", trans, Int(m), Int(n), a_pointer, a.pointer, Int(a.leading), x.pointer, Int(x.step),
               b_pointer, y.pointer, Int(y.step))
        c.near(y.read(), alpha * op(a.value, trans) @ x.value + beta * y.value, m + n, m + n)
    elif what == "ger":
        conjugates = complex_ and c.random.random() < 0.5
        a, x, y = c.matrix(m, n), c.vector(m), c.vector(n)
        c.call(f"{letter}ger{('c' if conjugates else 'u') if complex_ else ''}_v2", Int(m), Int(n), a_pointer, x.pointer, Int(x.step),
               y.pointer, Int(y.step), a.pointer, Int(a.leading))
        c.near(a.read(), alpha * np.outer(x.value, y.value.conj() if conjugates else y.value) + a.value)
    elif what in ("symv", "hemv"):
        hermitian = what == "hemv" and complex_
        a, x, y = c.matrix(n, n), c.vector(n), c.vector(n)
        c.call(f"{letter}{'hemv' if hermitian else 'symv'}_v2", int(upper), Int(n), a_pointer, a.pointer, Int(a.leading), x.pointer,
               Int(x.step), b_pointer, y.pointer, Int(y.step))
        c.near(y.read(), alpha * whole(a.value, upper, hermitian) @ x.value + beta * y.value, n, n)
    elif what == "syr":
        a, x = c.matrix(n, n), c.vector(n)
        c.call(f"{letter}syr_v2", int(upper), Int(n), a_pointer, x.pointer, Int(x.step), a.pointer, Int(a.leading))
        half = np.triu if upper else np.tril
        want = half(alpha * np.outer(x.value, x.value) + a.value) + (a.value - half(a.value))
        c.near(a.read(), want)
    else:
        unit = c.random.random() < 0.5
        a, x = c.matrix(n, n, what == "trsv"), c.vector(n)
        matrix = np.triu(a.value) if upper else np.tril(a.value)
        if unit:
            matrix = matrix - np.diag(np.diag(matrix)) + np.eye(n)
        c.call(f"{letter}{what}_v2", int(upper), trans, int(unit), Int(n), a.pointer, Int(a.leading), x.pointer, Int(x.step))
        got = x.read()
        if what == "trmv":
            c.near(got, op(matrix, trans) @ x.value, n, n)
        elif n:
            # What was solved is compared.
            back = op(matrix, trans) @ got.astype(np.complex128)
            c.near(back, x.value, n * n, np.abs(got).max(initial=0) * n)


def gemm(c):
    m, n, k, letter = c.size(), c.size(), c.size(), c.letter
    transa, transb = c.random.choice([N, T, C]), c.random.choice([N, T, C])
    alpha, a_pointer = c.scalar()
    beta, b_pointer = c.scalar()
    how = c.random.choice(["", "", "StridedBatched", "Batched"])
    count = c.random.choice([1, 2, 5]) if how else 1
    sets = [[c.matrix(*((m, k) if transa == N else (k, m))), c.matrix(*((k, n) if transb == N else (n, k))), c.matrix(m, n)] for _ in range(count)]
    head = (transa, transb, Int(m), Int(n), Int(k))
    if how == "":
        a, b, r = sets[0]
        c.call(f"{letter}gemm_v2", *head, a_pointer, a.pointer, Int(a.leading), b.pointer, Int(b.leading), b_pointer, r.pointer, Int(r.leading))
    elif how == "Batched":
        # All of one kind have one leading dimension.
        sets = [[Matrix(c, c.numbers((max(1, s.columns), s.leading)), s.rows, s.columns, s.leading) for s in sets[0]] for _ in range(count)]
        arrays = [c.put(np.array([s[i].pointer.value for s in sets], np.uint64)).pointer for i in range(3)]
        a, b, r = sets[0]
        c.call(f"{letter}gemmBatched", *head, a_pointer, arrays[0], Int(a.leading), arrays[1], Int(b.leading), b_pointer, arrays[2],
               Int(r.leading), Int(count))
    else:
        made, joined = [], []
        for i in range(3):
            s = sets[0][i]
            gap = c.random.choice([0, 3])
            distance = max(1, s.columns) * s.leading + gap
            buffer = c.numbers(distance * count)
            device = c.put(buffer)
            made.append((device, s, distance))
            joined.append([buffer[j * distance :][: max(1, s.columns) * s.leading].reshape(max(1, s.columns), s.leading) for j in range(count)])
        (a, sa, da), (b, sb, db), (r, sr, dr) = made
        c.call(f"{letter}gemmStridedBatched", *head, a_pointer, a.pointer, Int(sa.leading), ctypes.c_int64(da), b.pointer, Int(sb.leading),
               ctypes.c_int64(db), b_pointer, r.pointer, Int(sr.leading), ctypes.c_int64(dr), Int(count))
        data = r.read()
        for j in range(count):
            va, vb, vr = (s.of(joined[i][j]).astype(np.complex128) for i, s in enumerate(sets[0]))
            got = sr.of(data[j * dr :][: max(1, sr.columns) * sr.leading].reshape(max(1, sr.columns), sr.leading))
            c.near(got, alpha * op(va, transa) @ op(vb, transb) + beta * vr, k, k)
        return
    for a, b, r in sets:
        c.near(r.read(), alpha * op(a.value, transa) @ op(b.value, transb) + beta * r.value, k, k)


def level3(c):
    m, n, k, letter = c.size(1), c.size(1), c.size(), c.letter
    complex_ = letter in "CZ"
    what = c.random.choice(["symm", "hemm", "syrk", "herk", "trsm", "trmm", "geam", "dgmm"])
    upper, right, unit = (c.random.random() < 0.5 for _ in range(3))
    trans = c.random.choice([N, T, C])
    if what in ("symm", "hemm"):
        hermitian = what == "hemm" and complex_
        a, b, r = c.matrix(n, n) if right else c.matrix(m, m), c.matrix(m, n), c.matrix(m, n)
        (alpha, p), (beta, q) = c.scalar(), c.scalar()
        c.call(f"{letter}{'hemm' if hermitian else 'symm'}_v2", int(right), int(upper), Int(m), Int(n), p, a.pointer, Int(a.leading), b.pointer,
               Int(b.leading), q, r.pointer, Int(r.leading))
        full = whole(a.value, upper, hermitian)
        product = b.value @ full if right else full @ b.value
        c.near(r.read(), alpha * product + beta * r.value, m + n, m + n)
    elif what in ("syrk", "herk"):
        hermitian = what == "herk" and complex_
        trans = c.random.choice([N, C] if hermitian else [N, T])
        a, r = c.matrix(*((n, k) if trans == N else (k, n))), c.matrix(n, n)
        real = TYPES[REAL[letter]] if hermitian else None
        (alpha, p), (beta, q) = c.scalar(dtype=real), c.scalar(dtype=real)
        c.call(f"{letter}{'herk' if hermitian else 'syrk'}_v2", int(upper), trans, Int(n), Int(k), p, a.pointer, Int(a.leading), q, r.pointer,
               Int(r.leading))
        left = a.value if trans == N else (a.value.conj().T if hermitian else a.value.T)
        product = alpha * left @ (left.conj().T if hermitian else left.T) + beta * r.value
        if hermitian:
            product = product - 1j * np.diag(np.diag(product).imag)
        half = np.triu if upper else np.tril
        c.near(r.read(), half(product) + (r.value - half(r.value)), k, k)
    elif what in ("trsm", "trmm"):
        order = n if right else m
        a, b = c.matrix(order, order, what == "trsm"), c.matrix(m, n)
        alpha, p = c.scalar()
        matrix = np.triu(a.value) if upper else np.tril(a.value)
        if unit:
            matrix = matrix - np.diag(np.diag(matrix)) + np.eye(order)
        matrix = op(matrix, trans)
        head = (int(right), int(upper), trans, int(unit), Int(m), Int(n), p, a.pointer, Int(a.leading), b.pointer, Int(b.leading))
        if what == "trsm":
            c.call(f"{letter}trsm_v2", *head)
            got = b.read().astype(np.complex128)
            c.near(got @ matrix if right else matrix @ got, alpha * b.value, order * order, np.abs(got).max(initial=0) * order)
        else:
            r = c.matrix(m, n)
            c.call(f"{letter}trmm_v2", *head, r.pointer, Int(r.leading))
            c.near(r.read(), alpha * (b.value @ matrix if right else matrix @ b.value), order, order)
    elif what == "geam":
        transb = c.random.choice([N, T, C])
        a, b, r = c.matrix(*((m, n) if trans == N else (n, m))), c.matrix(*((m, n) if transb == N else (n, m))), c.matrix(m, n)
        (alpha, p), (beta, q) = c.scalar(), c.scalar()
        c.call(f"{letter}geam", trans, transb, Int(m), Int(n), p, a.pointer, Int(a.leading), q, b.pointer, Int(b.leading), r.pointer, Int(r.leading))
        c.near(r.read(), alpha * op(a.value, trans) + beta * op(b.value, transb))
    else:
        a, x, r = c.matrix(m, n), c.vector(n if right else m), c.matrix(m, n)
        c.call(f"{letter}dgmm", int(right), Int(m), Int(n), a.pointer, Int(a.leading), x.pointer, Int(x.step), r.pointer, Int(r.leading))
        c.near(r.read(), a.value * x.value[None, :] if right else x.value[:, None] * a.value)


# Types of A and B, of C, of the computation, of its scalars: half, bytes, single, double and complex.
MIXED = [
    (2, 2, 64, 2), (2, 2, 68, 0), (2, 0, 68, 0), (3, 10, 72, 10), (3, 0, 68, 0), (0, 0, 68, 0), (0, 0, 77, 0), (1, 1, 70, 1), (4, 4, 68, 4), (5, 5, 70, 5),
]
NUMPY = {0: np.float32, 1: np.float64, 2: np.float16, 3: np.int8, 4: np.complex64, 5: np.complex128, 10: np.int32}
# What half a number of a type is in relation to it.
PRECISION = {0: 2.0**-24, 1: 2.0**-53, 2: 2.0**-11, 4: 2.0**-24, 5: 2.0**-53}


def mixed_numbers(c, kind, shape):
    dtype = NUMPY[kind]
    if np.dtype(dtype).kind == "i":
        return c.rng.integers(-20, 20, shape).astype(dtype)
    return c.numbers(shape, dtype)


def mixed_matrix(c, kind, rows, columns):
    leading = max(1, rows) + c.random.choice([0, 0, 1, 5])
    return Matrix(c, mixed_numbers(c, kind, (max(1, columns), leading)), rows, columns, leading)


def near_mixed(c, got, want, kind, k):
    want = np.asarray(want)
    if kind == 10:
        want = want.real.astype(np.int64).astype(np.int32)
        if (got != want).any():
            sys.exit(f"{c.name}: integers differ: {got} {want}")
        return
    error = np.abs(got.astype(np.complex128) - want).max(initial=0)
    # Products of single precision, and one rounding of the result.
    size = max(np.abs(want).max(initial=0), k * 4 if kind != 0 else k * 400, 1)
    bound = (PRECISION[kind] + (2.0**-24 if kind in (0, 2, 4) else 2.0**-53) * 8 * (k + 4)) * size
    if not error <= bound:
        sys.exit(f"error {error:.3g}, at most {bound:.3g} is right: {c.name} of type {kind}")


def mixed(c):
    of, to, compute, scalar = c.random.choice(MIXED)
    m, n, k = c.size(), c.size(), c.size()
    transa, transb = c.random.choice([N, T, C]), c.random.choice([N, T, C])
    a = mixed_matrix(c, of, *((m, k) if transa == N else (k, m)))
    b = mixed_matrix(c, of, *((k, n) if transb == N else (n, k)))
    r = mixed_matrix(c, to, m, n)
    alpha, p = c.scalar(c.random.choice([0, 1, 2]), NUMPY[scalar])
    beta, q = c.scalar(c.random.choice([0, 1, -1]), NUMPY[scalar])
    middle = (p, a.pointer, of, Int(a.leading), b.pointer, of, Int(b.leading), q, r.pointer, to, Int(r.leading), compute, -1)
    c.call("GemmEx", transa, transb, Int(m), Int(n), Int(k), *middle)
    want = complex(alpha) * op(a.value, transa) @ op(b.value, transb) + complex(beta) * r.value
    near_mixed(c, r.read(), want, to, k)


def attribute(library, kind, descriptor, number, value):
    value = np.asarray(value)
    name = f"cublasLt{kind}SetAttribute"
    check(getattr(library, name)(descriptor, number, value.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(value.nbytes)), name)


def matmul(c):
    """cublasLtMatmul: by columns and by rows, batches, a bias, ReLU and GELU."""
    library = c.random.choice(LIGHT)
    c.name = "cublasLtMatmul"
    of, to, compute, scalar = c.random.choice([kind for kind in MIXED if kind[1] not in (4, 5, 10)])
    m, n, k, count = c.size(1), c.size(1), c.size(1), c.random.choice([1, 1, 3])
    transa, transb = c.random.choice([N, T]), c.random.choice([N, T])
    shapes = [(m, k) if transa == N else (k, m), (k, n) if transb == N else (n, k), (m, n), (m, n)]
    layouts, values, devices, stored = [], [], [], []
    for (rows, columns), kind in zip(shapes, (of, of, to, to)):
        by_rows = c.random.random() < 0.3
        inner, outer = (columns, rows) if by_rows else (rows, columns)
        leading = inner + c.random.choice([0, 0, 3])
        data = mixed_numbers(c, kind, (count, outer + c.random.choice([0, 1]), leading))
        layout = ctypes.c_void_p()
        check(library.cublasLtMatrixLayoutCreate(ctypes.byref(layout), kind, ctypes.c_uint64(rows), ctypes.c_uint64(columns), ctypes.c_int64(leading)), "layout")
        attribute(library, "MatrixLayout", layout, 1, np.int32(by_rows))
        attribute(library, "MatrixLayout", layout, 5, np.int32(count))
        attribute(library, "MatrixLayout", layout, 6, np.int64(data[0].size))
        layouts.append(layout)
        devices.append(c.put(data))

        def of_batch(data, by_rows=by_rows, inner=inner, outer=outer):
            part = data[:, :outer, :inner]
            return part if by_rows else part.swapaxes(1, 2)

        stored.append(of_batch)
        values.append(of_batch(data).astype(np.complex128).real)
    handle, product = ctypes.c_void_p(), ctypes.c_void_p()
    check(library.cublasLtCreate(ctypes.byref(handle)), "cublasLtCreate")
    check(library.cublasLtMatmulDescCreate(ctypes.byref(product), compute, scalar), "cublasLtMatmulDescCreate")
    epilogue = c.random.choice([1, 2, 4, 6, 32, 36])
    bias = mixed_numbers(c, to, m)
    for number, value in ((2, np.int32(c.on_device)), (3, np.int32(transa)), (4, np.int32(transb)), (7, np.int32(epilogue)),
                          (8, np.uint64(c.put(bias).pointer.value))):
        attribute(library, "MatmulDesc", product, number, value)
    alpha, p = c.scalar(c.random.choice([0, 1, 2]), NUMPY[scalar])
    beta, q = c.scalar(c.random.choice([0, 1, -1]), NUMPY[scalar])
    a, b, r, d = devices
    check(library.cublasLtMatmul(handle, product, p, a.pointer, layouts[0], b.pointer, layouts[1], q, r.pointer, layouts[2], d.pointer, layouts[3],
                                 None, None, ctypes.c_size_t(0), None), "cublasLtMatmul")
    check(cudart.cudaDeviceSynchronize(), "cudaDeviceSynchronize")
    turned = [v.swapaxes(1, 2) if trans else v for v, trans in zip(values, (transa, transb))]
    want = float(alpha) * turned[0] @ turned[1] + float(beta) * values[2]
    if epilogue & 4:
        want = want + bias.astype(np.float64)[None, :, None]
    if epilogue & 2:
        want = np.maximum(want, 0)
    if epilogue & 32:
        want = 0.5 * want * (1 + np.tanh(np.sqrt(2 / np.pi) * (want + 0.044715 * want**3)))
    near_mixed(c, stored[3](d.read()), want, to, k)
    for layout in layouts:
        check(library.cublasLtMatrixLayoutDestroy(layout), "cublasLtMatrixLayoutDestroy")
    check(library.cublasLtMatmulDescDestroy(product), "cublasLtMatmulDescDestroy")
    check(library.cublasLtDestroy(handle), "cublasLtDestroy")


def rotg(c):
    """A rotation that is made turns what it was made of."""
    real = TYPES[REAL[c.letter]]
    made = [c.numbers(1), c.numbers(1), np.zeros(1, real), np.zeros(1)]
    made[3] = made[3].astype(c.type)
    a, b = (complex(number[0]) for number in made[:2])
    if c.on_device:
        devices = [c.put(number) for number in made]
        pointers = [device.pointer for device in devices]
    else:
        pointers = [number.ctypes.data_as(ctypes.c_void_p) for number in made]
    c.name = f"cublas{c.letter}rotg_v2"
    check(getattr(c.library, c.name)(c.handle, *pointers), c.name)
    if c.on_device:
        made = [device.read() for device in devices]
    r, _, cosine, sine = (complex(number[0]) for number in made)
    c.near(cosine * a + sine * b, r)
    c.near(cosine * b - np.conj(sine) * a, 0)


def one(seed, i):
    c = Call(Random(seed * 1_000_003 + i), np.random.default_rng([seed, i]))
    c.random.choice([level1, level2, gemm, gemm, level3, mixed, matmul, rotg])(c)
    c.end()


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 52
    for i in range(count):
        one(seed, i)
    print(f"{count} calls compared, all are right")


main()
