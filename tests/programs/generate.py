#!/usr/bin/env python3
"""Writes case.toml of every program: inputs from a fixed seed, results computed here in plain Python.

Nothing of texunit takes part, and nothing of the PTX: each function below says in Python what the program's CUDA
source says. README.md describes the file format.
"""
import hashlib
import math
import pathlib
import random
import struct

import numpy as np

import exact
from exact import F16, F32, F64, to_int

HERE = pathlib.Path(__file__).parent
FORMATS = ["nvcc-O3", "nvcc-O0", "nvcc-lineinfo", "nvcc-G", "nvrtc", "clang-O0", "clang-O2"]
BYTES = {"8": 1, "16": 2, "32": 4, "64": 8}
INLINE = 640


def s(v, bits=32):
    """The low bits as a signed integer."""
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def u(v, bits=32):
    return v & ((1 << bits) - 1)


def f32(v):
    """The nearest f32, as a Python float."""
    return float(np.float32(v))


def bits_of(v):
    return struct.unpack("<I", struct.pack("<f", v))[0]


def from_bits(v):
    return struct.unpack("<f", struct.pack("<I", v))[0]


def number(kind, v):
    if kind[0] != "f":
        return str(int(v))
    v = float(v)
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    text = str(np.float32(v)) if kind == "f32" else repr(v)
    if kind == "f32":
        assert bits_of(float(text)) == bits_of(v), (text, v)
    if not any(c in text for c in ".en"):
        text += ".0"
    return text


def array(kind, values):
    words = [number(kind, v) for v in values]
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > 118:
            lines.append(line.rstrip())
            line = ""
        line += word + ", "
    if not lines:
        return "[" + line.rstrip(", ") + "]"
    return "[\n  " + "\n  ".join(lines + [line.rstrip()]) + "\n]"


class Case:
    def __init__(self, name, kernel, grid, block, ptx=None, about="", **keys):
        self.folder = HERE / name
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.glob("*.npy"):
            old.unlink()
        self.count = 0
        ptx = ptx or [f"{f}.ptx" for f in FORMATS if (self.folder / f"{f}.ptx").exists()]
        listing = ", ".join(f'"{p}"' for p in ptx)
        self.lines = [f"# {about}"] if about else []
        self.lines += [f"ptx = [{listing}]", f'kernel = "{kernel}"', f"grid = {grid}", f"block = {block}"]
        for key, value in keys.items():
            self.lines.append(f"{key} = {value}")
        self.tail = []

    def data(self, stem, kind, values):
        """`kind = [...]`, or a file for what is long."""
        values = list(values)
        if len(values) <= INLINE:
            return f"{kind} = {array(kind, values)}"
        dtype = {"u": "u", "s": "i", "f": "f"}[kind[0]] + str(BYTES[kind[1:]])
        np.save(self.folder / f"{stem}.npy", np.array(values, dtype="<" + dtype))
        return f'file = "{stem}.npy"'

    def param(self, text):
        self.lines += ["", f"[params.{self.count}]", text]
        self.count += 1

    def given(self, kind, values):
        body = self.data(f"in{self.count}", kind, values)
        if "\n" in body:
            self.lines += ["", f"[params.{self.count}.buffer]", body]
            self.count += 1
        else:
            self.param(f"buffer = {{ {body} }}")
        return self

    def zeros(self, size):
        self.param(f"buffer = {{ zeros = {size} }}")
        return self

    def scalar(self, kind, value):
        self.param(f"scalar = {{ {kind} = {number(kind, value)} }}")
        return self

    def structure(self, *members):
        """A structure by value: its members at their natural alignment, as C lays them out."""
        codes = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f", "f64": "d"}
        groups, at, align = [], 0, 1
        for kind, value in members:
            size = BYTES[kind[1:]]
            align = max(align, size)
            pad = -at % size
            groups.append("00" * pad + struct.pack("<" + codes[kind], value).hex())
            at += pad + size
        groups.append("00" * (-at % align))
        self.param('scalar = { bytes = "' + " ".join(g for g in groups if g) + '" }')
        return self

    def expect(self, index, kind, values, **tolerance):
        self.tail += ["", f"[expect.{index}]", self.data(f"out{index}", kind, values)]
        self.tail += [f"{k} = {v}" for k, v in tolerance.items()]
        return self

    def out(self, kind, values, **tolerance):
        """A zeroed buffer of the right size, and what it holds in the end."""
        values = list(values)
        self.zeros(len(values) * BYTES[kind[1:]])
        return self.expect(self.count - 1, kind, values, **tolerance)

    def inout(self, kind, before, after):
        self.given(kind, before)
        return self.expect(self.count - 1, kind, after)

    def printf(self, text):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        self.lines.append(f'expect_printf = "{escaped}"')
        return self

    def write(self):
        (self.folder / "case.toml").write_text("\n".join(self.lines + self.tail) + "\n")


def ints(rng, n, low=-(1 << 31), high=(1 << 31) - 1):
    return [rng.randint(low, high) for _ in range(n)]


EDGES = [0, 1, -1, 2, -2, 0x7FFFFFFF, -0x80000000, 0x55555555, -0x55555556, 0xFF, 0x100, 0x8000, -0x8000, 0xFFFF, 0x800000, 0xFFFFFF]


def reduce(rng):
    n, grid, block = 1000, 5, 128
    data = ints(rng, n, -10**6, 10**6)
    partial = [sum(v for i, v in enumerate(data) if i % (grid * block) // block == b) for b in range(grid)]
    Case("reduce", "reduce", [grid], [block]).given("s32", data).out("s32", partial).out("s32", [sum(data)]).scalar("u32", n).write()


def scan(rng):
    data = [rng.randint(0, 1 << 31) for _ in range(192)]
    total, sums = 0, []
    for v in data:
        total = u(total + v)
        sums.append(total)
    Case("scan", "scan", [1], [192]).given("u32", data).out("u32", sums).write()


def shuffle(rng):
    data = ints(rng, 32)
    rows = [
        lambda t: 5, lambda t: (t * 7 + 3) % 32, lambda t: (t & ~7) | ((t + 1) & 7),
        lambda t: t - 3 if t >= 3 else t, lambda t: t - 2 if t % 4 >= 2 else t,
        lambda t: t + 9 if t + 9 < 32 else t, lambda t: t + 1 if t % 16 < 15 else t,
        lambda t: t ^ 1, lambda t: t ^ 21,
        # A partner in a later group of four cannot be read; one in an earlier group can.
        lambda t: t ^ 6 if (t ^ 6) <= (t | 3) else t,
        lambda t: 31 - t // 2 * 2 if t & 1 else 30 - t,
    ]
    out = [data[row(t)] for row in rows for t in range(32)]
    wide = [s(data[t ^ 31] * 1000000007, 64) for t in range(32)]
    Case("shuffle", "shuffle", [1], [32]).given("s32", data).out("s32", out).out("s64", wide).write()


def vote(rng):
    data = [rng.choice([-9, -4, -1, 0, 2, 3, 8, 11]) for _ in range(64)]
    data[41] = 7
    out = []
    for w in range(2):
        v = data[w * 32:w * 32 + 32]
        mask = lambda test: sum(1 << i for i in range(32) if test(i))
        odd = mask(lambda i: v[i] & 1)
        for t in range(32):
            mine = odd if v[t] & 1 else u(~odd)
            rank = bin(mine & ((1 << t) - 1)).count("1")
            out += [mask(lambda i: v[i] > 0), 7 in v, min(v) > -100, 0xFFFFFFFF,
                    rank if v[t] & 1 else 100 + rank,
                    mask(lambda i: v[i] > 0) & odd if v[t] & 1 else 1,
                    mask(lambda i: i % 3 == w), w]
    Case("vote", "vote", [1], [64]).given("s32", data).out("u32", out).write()


def atomics(rng):
    n = 96
    v = ints(rng, n, -20000, 20000)
    s0 = [5, 6, 7, 8, -1, 0x100, 0x55] + [0] * 7
    u0 = [0xFFFFFFFF, 0, 4, 3, 0] + [0] * 7
    w0 = [1, 2**62, 5, -1, 0, 77, 1, 0]
    l0, f0, old0 = [9, -9], [0.5], [0] * n

    def fold(start, f, values):
        for x in values:
            start = f(start, x)
        return start

    inc = lambda limit: lambda a, _: 0 if a >= limit else a + 1
    dec = lambda limit: lambda a, _: limit if a == 0 or a > limit else a - 1
    m64 = (1 << 64) - 1
    s1 = s0[:]
    s1[0] = s(5 + sum(v)); s1[1] = s(6 - sum(v)); s1[2] = min(v + [7]); s1[3] = max(v + [8])
    s1[4] = fold(-1, lambda a, x: a & (x | 0xFF0), v); s1[5] = fold(0x100, lambda a, x: a | (x & 0xFF), v)
    s1[6] = fold(0x55, lambda a, x: a ^ x, v)
    s1[8:14] = [sum(v), min(v + [0]), max(v + [0]), fold(-1, lambda a, x: a & ~x, v), fold(0, lambda a, x: a ^ x, v), 0]
    u1 = u0[:]
    u1[0] = min(u(x) for x in v); u1[1] = max(u(x) for x in v)
    u1[2] = fold(4, inc(9), v); u1[3] = fold(3, dec(6), v); u1[4] = n
    u1[8:12] = [fold(0, inc(12), v), fold(0, dec(5), v), fold(0, lambda a, x: a | 1 << (x & 31), v), sum((x & 15) * 3 for x in v)]
    w1 = [s(x, 64) for x in [
        1 + sum(x << 20 for x in v), min([2**62] + [u(x << 32, 64) for x in v]), max([5] + [u(x) << 30 for x in v]),
        fold(m64, lambda a, t: a & ~(1 << t % 64), range(n)), fold(0, lambda a, t: a | 1 << t % 64, range(n)),
        fold(77, lambda a, x: a ^ u(x * 0x100000001, 64), v), fold(1, lambda a, _: u(a * 3 + 1, 64), v), 0x123456789ABCDEF0]]
    l1 = [min([9] + [x << 32 for x in v]), max([-9] + [x << 32 for x in v])]
    case = Case("atomics", "atomics", [1], [n]).given("s32", v)
    case.inout("s32", s0, s1).inout("u32", u0, u1).inout("s64", w0, w1).inout("s64", l0, l1)
    case.inout("f32", f0, [0.5 + sum(v)]).inout("u32", old0, [77] * n).write()


def transpose(rng):
    w, h = 37, 21
    m = [f32(rng.uniform(-9, 9)) for _ in range(w * h)]
    case = Case("transpose", "transpose", [3, 2], [16, 4]).given("f32", m)
    case.out("f32", [m[y * w + x] for x in range(w) for y in range(h)]).scalar("s32", w).scalar("s32", h).write()


def recursion(rng):
    def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
    def ackermann(m, n):
        return n + 1 if m == 0 else ackermann(m - 1, 1) if n == 0 else ackermann(m - 1, ackermann(m, n - 1))
    def hanoi(n, a, b): return [] if n == 0 else hanoi(n - 1, a, 3 - a - b) + [a * 10 + b] + hanoi(n - 1, 3 - a - b, b)
    out = []
    for t in range(32):
        out += [fib(t % 13), ackermann(t % 3, t % 5), t * 3 % 2 == 0]
    data = ints(rng, 512, -999, 999)
    after = [v for t in range(32) for v in sorted(data[t * 16:t * 16 + 16])]
    case = Case("recursion", "recursion", [1], [32]).out("s32", out + [31]).out("s32", hanoi(5, 0, 2))
    case.inout("s32", data, after).write()


def switch(rng):
    length, threads = 20, 32
    weights = [5, 3, 2, 1, 3, 1, 1, 1, 2, 1, 1, 2, 1, 0.3, 1, 1]
    code = [rng.choices(range(16), weights)[0] << 4 | rng.randint(0, 15) for _ in range(length * threads)]
    out = []
    for t in range(threads):
        stack, top, pc, steps = [0] * 16, 0, 0, 0
        while pc < length:
            steps += 1
            if steps >= 200:
                break
            op = code[t * length + pc]
            pc += 1
            k, n, a, b = op >> 4, op & 15, top & 15, (top - 1) & 15
            if k == 0: top += 1; stack[top & 15] = n
            elif k == 1: stack[b] = s(stack[b] + stack[a]); top -= 1
            elif k == 2: stack[b] = s(stack[b] - stack[a]); top -= 1
            elif k == 3: stack[b] = s(stack[b] * stack[a]); top -= 1
            elif k == 4: stack[(top + 1) & 15] = stack[a]; top += 1
            elif k == 5: stack[a], stack[b] = stack[b], stack[a]
            elif k == 6: stack[a] ^= n
            elif k == 7: stack[a] = ~stack[a]
            elif k == 8:
                if stack[a] > 0:
                    stack[a] -= 1
                    pc = max(0, pc - (op & 7))
            elif k == 9: stack[a] = s(stack[a] << (op & 3))
            elif k == 10: stack[a] >>= op & 3
            elif k == 11: top += 1; stack[top & 15] = t
            elif k == 13: pc = length
            else: stack[a] = s(stack[a] + 1)
            top = max(top, 1)
        out += [stack[top & 15], steps]
    Case("switch", "interpret", [1], [threads]).given("u8", code).out("s32", out).scalar("s32", length).write()


def branch_table(rng):
    data = ints(rng, 64, 0, 1 << 20)
    out = []
    for t, v in enumerate(data):
        for _ in range(4):
            k = v % 7
            v = u([v + t, v * 3, v ^ 0x5A5A, v >> 1, ~v, v - t, v | 0x10][k])
        out.append(v)
    Case("branch_table", "branch_table", [1], [64], ptx=["kernel.ptx"]).given("u32", data).out("u32", out).write()


def old_warp(rng):
    v = ints(rng, 32, -100, 100)
    out = []
    for t in range(32):
        source = (t & ~3) | (v[t] & 3)
        out += [s(x) for x in [
            v[t - 3] if t >= 3 else v[t], t >= 3, v[t + 5] if t < 27 else v[t], t < 27, v[t ^ 7], v[source],
            sum(1 << i for i in range(32) if v[i] > 0), any(x == 5 for x in v) + 2 * all(x > -200 for x in v)]]
    Case("old_warp", "old_warp", [1], [32], ptx=["kernel.ptx"]).given("s32", v).out("s32", out).write()


def indirect(rng):
    which = [rng.randint(0, 50) for _ in range(32)]
    table = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a + b]
    out = []
    for t, w in enumerate(which):
        f, g = table[w & 3], table[(w + 1) & 3]
        out += [f(t, 10 - t), g(g(t, 3), 3), t * t * 10 + 4 if w % 3 else 1 + t % 2]
    Case("indirect", "indirect", [1], [32]).given("s32", which).out("s32", out).write()


def local_array(rng):
    data = ints(rng, 24 * 32, -300, 300)
    values, order, primes = [], [], []
    for t in range(32):
        row = data[t * 24:t * 24 + 24]
        p = sorted(range(24), key=lambda i: row[i])
        values += [row[i] for i in p]
        order += p
        primes.append(sum(all(i % d for d in range(2, i)) for i in range(2, 50 + t)))
    Case("local_array", "local_array", [1], [32]).given("s16", data).out("s16", values).out("u8", order).out("s32", primes).write()


def struct_param(rng):
    inner = [(65, (-300, 20000, 7)), (-3, (1, -2, 3))]
    extra = (90, (12, -13, 14))
    first, scale, flags, rest, offset = -7, -1234.5678, 21, 98765432, (1.5, -2.25, 1e-3)
    sums, parts, codes = [], [], []
    for t in range(32):
        tag, values = inner[t % 2] if t < 8 else extra
        sums.append(int(scale * t) + values[t % 3] + flags * 1000 + rest * 100000)
        parts.append(f32(offset[0] if t % 2 else offset[1] if t % 4 else offset[2]))
        codes.append((tag ^ first) & 255)
    case = Case("struct_param", "_Z7structs5Outer5InnerPxPfPh", [1], [32])
    flat = lambda i: [("s8", i[0])] + [("s16", v) for v in i[1]]
    case.structure(("s8", first), ("f64", scale), *flat(inner[0]), *flat(inner[1]), ("u32", rest << 5 | flags), *[("f32", v) for v in offset])
    case.structure(*flat(extra)).out("s64", sums).out("f32", parts).out("u8", codes).write()


def quotient(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def int64(rng):
    low, high = -(1 << 63), (1 << 63) - 1
    edges = [0, 1, -1, low, high, 3, -7, 1 << 32, -(1 << 32), 0xFFFFFFFF, 10**18]
    a = edges + [rng.randint(low, high) >> rng.randint(0, 50) for _ in range(21)]
    b = edges[::-1] + [rng.randint(low, high) >> rng.randint(0, 55) for _ in range(21)]
    out = []
    for x, y in zip(a, b):
        ux, uy = u(x, 64), u(y, 64)
        w = (ux * uy + ux) & ((1 << 128) - 1)
        w2 = ((w << 37) - (uy << 64 | ux)) & ((1 << 128) - 1)
        row = [x + y, x - y, x * y, quotient(x, y) if y else 0, x - quotient(x, y) * y if y else 0,
               ux // uy if y else 0, ux % uy if y else 0, x & y, x | ~y, x ^ y, x << (y & 63), x >> (y & 63), ux >> (y & 63),
               (x * y) >> 64, (ux * uy) >> 64, min(x, y), max(ux, uy),
               (x < y) | (x <= y) << 1 | (ux < uy) << 2 | (ux >= uy) << 3 | (x == y) << 4,
               s(x) * s(y), u(x) * u(y), w, w >> 64, w2, w2 >> 64]
        out += [s(v, 64) for v in row]
    Case("int64", "int64", [1], [32]).given("s64", a).given("s64", b).out("s64", out).write()


def divide(rng):
    a = EDGES + ints(rng, 16)
    b = [3, -3, 7, 1, -5, 2, 10, -1000, 6, 0x7FFFFFFF, -0x80000000, 641, -641, 255, -256, 5] + [rng.choice([-1, 1]) * rng.randint(1, 1 << rng.randint(1, 31)) for _ in range(16)]
    remainder = lambda x, y: x - quotient(x, y) * y
    out = []
    for x, y in zip(a, b):
        z = y | 1
        out += [s(v) for v in [
            quotient(x, y), remainder(x, y), u(x) // u(y), u(x) % u(y), quotient(x, 7), remainder(x, -10), u(x) // 641,
            quotient(s(x, 16), s(z, 16)), u(x, 16) % u(z, 16), quotient(s(x, 8), s(z, 8)), -1, -1]]
    Case("divide", "divide", [1], [32]).given("s32", a).given("s32", b).out("s32", out).scalar("s32", 0).write()


INF, NAN = math.inf, math.nan
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 1.0, -1.0, 255.5, 256.0, -128.5, -129.0, 32767.5, 65535.5,
          2147483520.0, 2147483648.0, -2147483648.0, -2147483904.0, 4294967040.0, 4294967296.0, 9.223372e18, -9.223372e18, 1.8446743e19, 1e30,
          INF, -INF, NAN, 1e-42, 16777217.0, 8388607.5]


def convert(rng):
    f = [f32(v) for v in FLOATS]
    d = [0.0, -0.0, 0.5, 1.5, -1.5, 2.5, 1e-320, 2147483647.5, 2147483647.0, -2147483648.5, -2147483649.0, 4294967295.5, 4294967296.0, 9.3e18, -9.3e18, 1.9e19,
         9223372036854774784.0, INF, -INF, NAN, 1 / 3, math.pi * 1e5, 3.4028235e38, 3.40282356779733e38, 3.4028235677973366e38, 1e39, -1e39, 1e-40, 1e-46, 7e-46, 1.00000006, 123456789.5]
    l = [0, 1, -1, 16777217, -16777217, 16777219, 33554435, (1 << 31) - 1, -(1 << 31), (1 << 32) - 1, (1 << 53) + 1, -(1 << 53) - 1, (1 << 63) - 1, -(1 << 63), 9007199791611905, 300] + [
        rng.randint(-(1 << 63), (1 << 63) - 1) >> rng.randint(0, 40) for _ in range(16)]
    of, wf, od, wd, tf, td = [], [], [], [], [], []
    big = 1 << 63
    for x, y, z in zip(f, d, l):
        modes = ["rn", "rz", "ru", "rd"]
        of += [to_int(x, 32, True, m, 0) for m in modes] + [s(to_int(x, 32, False, m, 0)) for m in modes]
        of += [to_int(x, 16, True, "rz", 0), to_int(x, 16, False, "rn", 0), to_int(x, 8, True, "rd", 0), to_int(x, 8, False, "ru", 0)]
        of += [0, 0] if x != x else [s(bits_of(exact.to_whole_float(x, m))) for m in ("rn", "rz")]
        wf += [s(v, 64) for v in (to_int(x, 64, True, "rn", big), to_int(x, 64, True, "rz", big), to_int(x, 64, False, "ru", big), to_int(x, 64, False, "rd", big))]
        od += [s(to_int(y, 32, True, m, 1 << 31)) for m in modes] + [s(to_int(y, 32, False, m, 1 << 31)) for m in modes]
        wd += [s(v, 64) for v in (to_int(y, 64, True, "rn", big), to_int(y, 64, True, "rz", big), to_int(y, 64, False, "ru", big), to_int(y, 64, False, "rd", big))]
        i2f = lambda v, m, fmt=F32: exact.rounded(exact.Fraction(v), fmt, m)
        narrow = lambda m: y if exact.special(y) else exact.rounded(exact.Fraction(y), F32, m, y)
        tf += [i2f(z, m) for m in modes] + [i2f(u(z, 64), "rn"), i2f(u(z, 64), "rz"), i2f(s(z), "rn"), i2f(s(z), "rz"), i2f(u(z), "ru"), i2f(u(z), "rd")]
        tf += [narrow(m) for m in modes] + [float(s(z, 16))]
        td += [i2f(z, "rn", F64), i2f(z, "rz", F64), i2f(u(z, 64), "ru", F64), i2f(u(z, 64), "rd", F64), float(s(z)), float(u(z, 8)), x]
    case = Case("convert", "convert", [1], [32]).given("f32", f).given("f64", d).given("s64", l)
    case.out("s32", of).out("s64", wf).out("s32", od).out("s64", wd).out("f32", tf).out("f64", td).write()


def half(rng):
    f = [f32(v) for v in [0.0, -0.0, 1.0, -1.5, 65504.0, 65519.0, 65520.0, 65536.0, -1e6, 1e30, INF, -INF, 6.1e-5, 6.0e-5, 5.96e-8, 2.98e-8, 2.99e-8, 1e-9, -1e-9, 2049.0, 2051.0, 0.1]]
    f += [f32(rng.uniform(-4, 4) * 2.0 ** rng.randint(-20, 14)) for _ in range(32 - len(f))]
    codes = [0, 0x8000, 1, 0x83FF, 0x400, 0x3C00, 0xC000, 0x7BFF, 0x7C00, 0xFC00] + [rng.randint(0, 0x7BFF) | rng.choice([0, 0x8000]) for _ in range(22)]
    pack = lambda v: struct.unpack("<H", struct.pack("<e", v))[0]
    unpack = lambda v: struct.unpack("<e", struct.pack("<H", v))[0]
    def to_half(x, mode):
        return pack(x if exact.special(x) else exact.rounded(exact.Fraction(x), F16, mode, x))
    to, back, packed = [], [], []
    for x, c in zip(f, codes):
        to += [to_half(x, m) for m in ("rn", "rz", "ru", "rd")] + [to_half(float(c - 30000), "rn")]
        back += [unpack(c), f32(to_int(unpack(c), 32, True, "rz", 0))]
        packed.append(to_half(x, "rn") | c << 16)
    case = Case("half", "halves", [1], [32]).given("f32", f).given("u16", codes)
    case.out("u16", to).out("f32", back).out("u32", packed).write()


def printf(rng):
    text = "".join(f"thread {t} of 4: {n}, {v}\n" for t, n, v in [(0, "zero", "1.500000"), (1, "one", "-0.125000"), (2, "many", "100000.000000")])
    text += "[   42|42   |00042|+42| 42]\n[ff|FF|0xff|10|4294967295|q|%]\n"
    text += "[3.142|      2.72|1.5       |1.234568e+04|1.20E-04|0.0001|1E+20]\n"
    text += "[-5000000000|18446744073709551615|deadbeefcafe|7|300]\n[      ab|ab      |ab|]\nno arguments\n"
    Case("printf", "print", [1], [4]).printf(text).given("f32", [1.5, -0.125, 100000.0, 7.0]).scalar("s32", 3).write()


def printf_loop(rng):
    text = "".join(f"turn {i}\n" for i in range(5)) + "3, 2, 1\n"
    Case("printf_loop", "order", [1], [32]).printf(text).scalar("s32", 5).write()


def dynamic_shared(rng):
    n = 32
    v = ints(rng, n, -200, 200)
    out = [v[(t + 1) % n] * 0.5 + v[n - 1 - t] + u(v[(t + 2) % n], 8) - v[(t + 3) % n] for t in range(n)]
    size = n * 13
    Case("dynamic_shared", "dynamic", [1], [n], dynamic_shared=size).given("s32", v).out("f64", out).out("u32", [size, 1]).write()


def globals_(rng):
    weights = [f32(v) for v in (0.5, -1.25, 3.0, 1e-40, 1e30)]
    out = weights + [1 + 2.5, -2 + 0.125, 300 - 7.0]
    texts = [b"alpha\0", b"beta\0\0", b"\0" * 6]
    words = [b"red\0", b"green\0", b"blue\0"]
    letters = [texts[t // 6][t % 6] if t < 18 else words[t % 3][t % 4] for t in range(32)]
    counters = [18, 28, 38, 48]
    big = 0x7FFFFFFF12345678
    case = Case("globals", "globals", [1], [32]).out("f64", out).out("u8", letters)
    case.out("s32", counters + [38, 31 * 16, 789, 2]).out("s64", [big, big + 1]).write()


def specials(rng):
    grid, block = (2, 3, 2), (4, 3, 5)
    out = []
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                for t in range(60):
                    lane = t % 32
                    bit = 1 << lane
                    tx, ty, tz = t % 4, t // 4 % 3, t // 12
                    out += [lane, bit, bit - 1, bit * 2 - 1, u(~(bit * 2 - 1)), u(~(bit - 1)), x | y << 8 | z << 16, tx | ty << 8 | tz << 16,
                            grid[0] | grid[1] << 4 | grid[2] << 8 | block[0] << 12 | block[1] << 16 | block[2] << 20]
    Case("specials", "specials", list(grid), list(block)).out("u32", out).out("u32", [63] * 720).write()


def match(rng):
    v = [rng.randint(0, 5) for _ in range(32)]
    out = []
    for t in range(32):
        group = lambda same, lanes=range(32): sum(1 << i for i in lanes if same(v[i]))
        row = [group(lambda x: x == v[t])] * 2 + [0, 0]
        if t < 12:
            row += [group(lambda x: x & 1 == v[t] & 1, range(12)), 0xFFF]
        else:
            row += [group(lambda x: x // 2 == v[t] // 2, range(12, 32)), 0xFFFFF000]
        out += row + [1]
    Case("match", "match", [1], [32]).given("s32", v).out("u32", out).write()


def prmt(x, y, selector):
    source = list(struct.pack("<II", x, y))
    out = 0
    for i in range(4):
        k = selector >> (4 * i) & 15
        byte = source[k & 7]
        out |= (255 * (byte >> 7) if k & 8 else byte) << (8 * i)
    return out


def funnel(x, y, n, left):
    """hi:lo = y:x"""
    w = y << 32 | x
    return u(w << n >> 32) if left else u(w >> n)


def bfe(x, pos, length, signed, width=32):
    pos, length, x = pos & 255, length & 255, u(x, width)
    fill = 0 if not signed or length == 0 else x >> min(pos + length - 1, width - 1) & 1
    return sum((x >> (pos + i) & 1 if i < length and pos + i < width else fill) << i for i in range(width))


def bfi(a, b, pos, length):
    for i in range(length):
        if pos + i < 32:
            b = b & ~(1 << pos + i) | (a >> i & 1) << pos + i
    return b


def fns(mask, base, offset):
    if offset == 0:
        return base if mask >> base & 1 else 0xFFFFFFFF
    pos, count = base, abs(offset) - 1
    while 0 <= pos < 32:
        if mask >> pos & 1:
            if count == 0:
                return pos
            count -= 1
        pos += 1 if offset > 0 else -1
    return 0xFFFFFFFF


def lop3(a, b, c, table):
    return sum((table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i for i in range(32))


PERMUTED = {
    "f4e": [(3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)], "b4e": [(5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)],
    "rc8": [(k,) * 4 for k in range(4)], "ecl": [(3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)],
    "ecr": [(0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)], "rc16": [(1, 0, 1, 0), (3, 2, 3, 2)] * 2,
}


def bits(rng):
    a = [u(v) for v in EDGES] + [u(v) for v in ints(rng, 16)]
    b = [u(v) for v in ints(rng, 32)]
    # szext takes a width of zero nowhere here.
    b = [y if y & 31 else y | 9 for y in b]
    out = []
    for t, (x, y) in enumerate(zip(a, b)):
        w = x << 32 | y
        lead = lambda v, n: n - v.bit_length()
        trail = lambda v: (v & -v).bit_length()
        row = [bin(x).count("1"), bin(w).count("1"), lead(x, 32), lead(w >> 20, 64), trail(x), trail(w & ~0xFF),
               int(f"{x:032b}"[::-1], 2), int(f"{w:064b}"[::-1], 2) >> 16,
               prmt(x, y, 0x3120), prmt(x, y, y & 0x7777), prmt(x, y, 0xBA98),
               funnel(x, y, y & 31, True), funnel(x, y, x & 31, False), funnel(x, y, min(y & 63, 32), True), funnel(x, y, min(x & 63, 32), False),
               bfe(x, y & 31, x & 15, False), bfe(x, y, x & 63, True), bfi(y, x, y & 31, x >> 8 & 31),
               x.bit_length() - 1, (x if x < 1 << 31 else u(~x)).bit_length() - 1, 32 - y.bit_length() if y else -1,
               lop3(x, y, u(x * 3), 0xE8), lop3(x, y, u(~x + t), 0x1B)]
        for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
            row.append(prmt(x, y, sum(k << 4 * (3 - i) for i, k in enumerate(PERMUTED[mode][t & 3]))))
        n = y & 63
        row += [x << n if n < 32 else 0, s(x) >> min(n, 31), fns(x, t, 1), fns(x, 31 - t, -2), int((x & y & 1) == 0), bfe(w, 13, 40, True, 64)]
        start, length = min(x & 63, 32), min(y & 63, 32)
        mask = u(((1 << length) - 1) << start)
        row.append(s(mask & ((1 << (y & 31)) - 1), y & 31))
        out += [u(v) for v in row]
    Case("bits", "bits", [1], [32]).given("u32", a).given("u32", b).out("u32", out).write()


def multiply(rng):
    a = EDGES + ints(rng, 16)
    b = ints(rng, 8) + EDGES[::-1] + ints(rng, 8)
    clamp = lambda v: max(-(1 << 31), min((1 << 31) - 1, v))
    out = []
    for t, (x, y) in enumerate(zip(a, b)):
        ux, uy = u(x), u(y)
        m24 = s(x, 24) * s(y, 24)
        chain = ux + uy
        second = ux + ux + (chain >> 32)
        low = u(x * y) + ux
        out += [s(v) for v in [
            m24, u(x, 24) * u(y, 24), (x * y) >> 32, (ux * uy) >> 32, m24 >> 16, u(x, 24) * u(y, 24) + t, (x * y >> 32) + y, clamp((x * y >> 32) + x),
            abs(x - y) + t, abs(ux - uy) + t, (x + y) >> 1, (x + y + 1) >> 1, (ux + uy) >> 1, (ux + uy + 1) >> 1, clamp(x + y), clamp(x - y),
            chain, u(second) + uy + (second >> 32), x - y, uy - ux - (ux < uy), low, (ux * uy >> 32) + uy + (low >> 32)]]
    Case("multiply", "multiply", [1], [32]).given("s32", a).given("s32", b).out("s32", out).write()


def arithmetic(rng):
    top32, top64 = from_bits(0x7F7FFFFF), 1.7976931348623157e308
    def numbers(edges, low, high, cut):
        return [cut(v) for v in edges] + [cut(rng.uniform(-2, 2) * 2.0 ** rng.randint(low, high)) for _ in range(32 - len(edges))]
    a = numbers([0.0, -0.0, 1.0, INF, NAN, top32, top32, 1e-45, 1.1754944e-38, 1e-42, 2.0, -1.0, 0.0, -3.0, 16777216.0, 1e-30], -20, 20, f32)
    b = numbers([-0.0, -0.0, -1.0, -INF, 1.0, top32, 1.9999999, 1e-45, -1e-45, 0.75, 3.0, 1.0, 0.0, INF, 1.0, 1e-20], -20, 20, f32)
    c = numbers([0.0, 0.0, 1.0, 1.0, 1.0, -INF, -top32, 1e-45, 1e-45, -1e-45, -6.0, 1.0, -0.0, INF, -16777216.0, 0.0], -40, 0, f32)
    p = numbers([0.0, 1.0, INF, top64, 5e-324, 2.2250738585072014e-308, 1e-310, 3.0, -0.0, 1e16], -60, 60, float)
    q = numbers([-0.0, 3.0, 0.0, 1.5, 5e-324, 0.3, -0.7, -3.0, 5.0, 1.0], -60, 60, float)
    r = numbers([0.0, -3.0, 1.0, -top64, 1e-320, 1e-320, 1e-320, 9.0, 0.0, -1e16], -120, 0, float)
    out, wide = [], []
    every = ("rn", "rz", "ru", "rd")
    for x, y, z in zip(a, b, c):
        out += [exact.add(x, y, F32, m) for m in every] + [exact.mul(x, y, F32, m) for m in every]
        out += [exact.fma(x, y, z, F32, m) for m in every] + [exact.div(x, y, F32, m) for m in every]
        out += [exact.sqrt(abs(x), F32, m) for m in every] + [exact.div(1.0, y, F32, m) for m in every[:3]] + [exact.add(x, -y, F32)]
    for x, y, z in zip(p, q, r):
        wide += [exact.add(x, y, F64, m) for m in every] + [exact.mul(x, y, F64, m) for m in every[:3]]
        wide += [exact.fma(x, y, z, F64, m) for m in ("rn", "rz", "rd")] + [exact.div(x, y, F64, m) for m in every[:3]]
        wide += [exact.sqrt(abs(x), F64, m) for m in ("rn", "rd", "ru")] + [exact.div(1.0, y, F64, m) for m in every[:2]]
    case = Case("arithmetic", "arithmetic", [1], [32]).given("f32", a).given("f32", b).given("f32", c).out("f32", out)
    case.given("f64", p).given("f64", q).given("f64", r).out("f64", wide).write()


def compare(rng):
    values = [0.0, -0.0, 1.0, -1.0, 0.5, INF, -INF, NAN, 1e-40, -1e-45, 2.5, 3e38]
    pairs = [(x, y) for x in values for y in values][:: 1]
    pairs = [(f32(x), f32(y)) for x, y in pairs]
    out = []
    for x, y in pairs:
        nan = x != x or y != y
        base = (x < y) | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5
        m = base | (not x < y) << 6 | (not x <= y) << 7 | (not x > y) << 8 | (not x >= y) << 9
        m |= (x != x) << 10 | math.isinf(x) << 11 | exact.minus(y) << 12
        key = lambda v: (v, 0 if exact.minus(v) else 1)
        least = 0x7FFFFFFF if x != x and y != y else bits_of(y if x != x else x if y != y else min(x, y, key=key))
        most = 0x7FFFFFFF if x != x and y != y else bits_of(y if x != x else x if y != y else max(x, y, key=key))
        subnormal = x == x and 0 < abs(x) < 2.0**-126
        classes = subnormal | (x == x) << 1 | math.isinf(x) << 2 | (x == x and not math.isinf(x) and not subnormal) << 3 | (x != x) << 4 | math.isfinite(x) << 5
        out += [m, base, least, most, 0 if y != y else bits_of(abs(y)), 0 if y != y else bits_of(math.copysign(y, x)),
                bits_of(0.0 if x != x or x <= 0 else min(x, 1.0)), 1 if x < y else 2 if x > y else 3 if x == y else 4, classes, 5,
                0xFFFFFFFF if nan or x > y else 0, 11 if x >= 0 else 22]
    case = Case("compare", "compare", [1], [len(pairs)]).given("f32", [x for x, _ in pairs]).given("f32", [y for _, y in pairs])
    case.out("u32", out).write()


def denormals(rng):
    tiny = [from_bits(v) for v in (0, 0x80000000, 1, 0x80000001, 2, 3, 0x7FFFFF, 0x807FFFFF, 0x800000, 0x800001, 0x80800003, 0xFFFFFF, 0x01800000, 0x400000, 0x300000, 0x123456)]
    a = tiny + [f32(rng.uniform(-1, 1) * 2.0 ** rng.randint(-145, -122)) for _ in range(16)]
    b = tiny[5:] + tiny[:5] + [f32(rng.uniform(-1, 1) * 2.0 ** rng.randint(-130, -100)) for _ in range(8)] + [f32(rng.uniform(-9, 9)) for _ in range(8)]
    for name, flush in (("denormals", lambda v: v), ("denormals_ftz", lambda v: math.copysign(0.0, v) if abs(v) < 2.0**-126 else v)):
        out = []
        for x0, y0 in zip(a, b):
            x, y = flush(x0), flush(y0)
            key = lambda v: (v, 0 if exact.minus(v) else 1)
            row = [exact.add(x, y, F32), exact.add(x, -y, F32), exact.mul(x, y, F32), exact.fma(x, 0.5, y, F32), exact.mul(x, 0.25, F32),
                   min(x, y, key=key), float(x < y), exact.mul(abs(x), 16777216.0, F32)]
            out += [flush(v) for v in row]
        Case(name, "denormals", [1], [32]).given("f32", a).given("f32", b).out("f32", out).write()


def fast_math(rng):
    a = [f32(rng.uniform(0.05, 3.0)) for _ in range(32)]
    b = [f32(rng.uniform(0.1, 20.0)) for _ in range(32)]
    out = []
    for x, y in zip(a, b):
        out += [f32(v) for v in [x / y, math.sqrt(x), 1 / math.sqrt(x), 1 / y, math.sin(x), math.cos(x), math.exp(x * 0.25), math.log(y), x ** f32(y * f32(0.1)), x * y + 1]]
    about = "The approximate instructions are exact to some 22 bits: the hardware's and a correctly rounded result both pass."
    Case("fast_math", "fast", [1], [32], about=about).given("f32", a).given("f32", b).out("f32", out, ulps=16, absolute=2e-6).write()


def libm(rng):
    a = [f32(v) for v in [0.0, -0.0, 1.0, -1.0, 0.5, 3.1415927, 1.5707964, 7.75, -7.5, 1e-6]] + [f32(rng.uniform(-8, 8)) for _ in range(22)]
    b = [f32(rng.uniform(0.05, 40)) for _ in range(32)]
    out = []
    for x, y in zip(a, b):
        k = lambda v, c: f32(v * f32(c))
        out += [f32(v) for v in [
            math.sin(x), math.cos(x), math.tan(x), math.sin(k(x, 1e7)), math.cos(k(x, 3e12)), math.exp(x), 2.0**x, math.expm1(k(x, 0.01)), math.log(y), math.log2(y),
            math.log1p(y), y ** k(x, 0.3), math.atan(x), math.atan2(x, y), math.cbrt(x), math.hypot(x, y), math.erf(k(x, 0.2)), math.fmod(x, y)]]
    Case("libm", "libm", [1], [32]).given("f32", a).given("f32", b).out("f32", out, ulps=8).write()


def libm64(rng):
    a = [0.0, -0.0, 1.0, -1.0, 0.5, math.pi, math.pi / 2, 30.0, -30.0, 1e-9] + [rng.uniform(-30, 30) for _ in range(22)]
    b = [rng.uniform(0.05, 40) for _ in range(32)]
    out = []
    for x, y in zip(a, b):
        out += [math.sin(x), math.cos(x * 1e9), math.tan(x), math.exp(x), math.log(y), y ** (x * 0.3), math.atan2(x, y), math.cbrt(x), math.sinh(x * 0.1), math.fmod(x, y),
                math.floor(x) + math.ceil(y) * 100.0 + math.trunc(x) * 10000.0 + round(y) * 1000000.0, math.asin(x * 0.03)]
    Case("libm64", "libm64", [1], [32]).given("f64", a).given("f64", b).out("f64", out, ulps=8).write()


def barriers(rng):
    v = ints(rng, 128, -49, 60)
    v[77] = 12345
    n = 100
    out = [sum(x > 0 for x in v) + 1000 + 2000 + (t // 64) * 10000 + (700000 if t < n else 0) for t in range(128)]
    Case("barriers", "barriers", [1], [128]).given("s32", v).out("s32", out).scalar("s32", n).write()


def divergence(rng):
    data = [rng.randint(1, 100000) for _ in range(64)]
    steps, mixed = [], []
    for t, v in enumerate(data):
        n, count = v, 0
        while n != 1:
            n = u(3 * n + 1) if n & 1 else n // 2
            count += 1
            if count == 150:
                break
        steps.append(count)
        total = 0
        for i in range(t):
            if v >> (i % 8) & 1:
                continue
            j = i
            while j < t:
                if j * i > 300:
                    break
                if (j ^ i) % 5 != 3:
                    total = u(total + i * j + 1)
                j += 1 + (v & 3)
            if total > 5000:
                total |= 0x80000000
                break
        k, at = v % 9, "first"
        if k > 4:
            at = "second"
        while True:
            if at == "first":
                total = u(total * 31 + k)
                if k == 0:
                    break
            total ^= u(k << 8)
            k, old = u(k - 1), k
            if old > 2:
                at = "first"
            elif total & 1:
                k, at = 0, "first"
            else:
                break
        mixed.append(total)
    Case("divergence", "divergence", [1], [64]).given("u32", data).out("u32", steps).out("u32", mixed).write()


def groups(rng):
    v = ints(rng, 64, -20, 20)
    out = []
    for t, x in enumerate(v):
        tile = v[t // 8 * 8:t // 8 * 8 + 8]
        warp = range(t // 32 * 32, t // 32 * 32 + 32)
        mine = [i for i in warp if (v[i] & 1) == (x & 1)]
        rank = mine.index(t)
        out += [sum(tile), t // 8 * 100 + t % 8, sum(1 << i for i, y in enumerate(tile) if y > 0), 5 in tile]
        out += [len(mine) * 100 + rank, v[mine[-1]]] if x & 1 else [len(mine) * 10000 + rank, v[mine[max(rank - 1, 0)]]]
    Case("groups", "groups", [1], [64]).given("s32", v).out("s32", out).write()


def syncwarp(rng):
    v = ints(rng, 128)
    out = [max(v[t // 32 * 32:t // 32 * 32 + 32]) for t in range(128)]
    chain = [0]
    for i in range(1, 16):
        chain.append(i + 2 * chain[-1])
    out += [chain[15 - t % 32] if t % 32 < 16 else -(47 - t % 32) + t // 32 for t in range(128)]
    Case("syncwarp", "syncwarp", [1], [128]).given("s32", v).out("s32", out).write()


def spinlock(rng):
    case = Case("spinlock", "spinlock", [2], [32]).inout("s32", [0], [64]).inout("s32", [0], [0])
    case.out("s32", [1] * 64 + [t % 32 for t in range(64)]).write()


def bitonic(rng):
    keys = [f32(v) for v in rng.sample(range(-5000, 5000), 256)]
    pairs = sorted(zip(keys, range(256)))
    case = Case("bitonic", "bitonic", [1], [128]).inout("f32", keys, [k for k, _ in pairs])
    case.inout("u16", list(range(256)), [i for _, i in pairs]).write()


def matmul(rng):
    n = 20
    a, b = ([f32(rng.uniform(-3, 3)) for _ in range(n * n)] for _ in range(2))
    c = []
    for y in range(n):
        for x in range(n):
            total = 0.0
            for k in range(n):
                total = exact.fma(a[y * n + k], b[k * n + x], total, F32)
            # The tile is padded with zeros up to a multiple of eight.
            for k in range(n, -(-n // 8) * 8):
                total = exact.fma(0.0, 0.0, total, F32)
            c.append(total)
    Case("matmul", "matmul", [3, 3], [8, 8]).given("f32", a).given("f32", b).out("f32", c).scalar("s32", n).write()


def histogram(rng):
    data = [min(255, int(rng.gauss(120, 50)) % 256) for _ in range(3000)]
    bins = [data.count(k) for k in range(256)]
    Case("histogram", "histogram", [3], [96]).given("u8", data).out("u32", bins).scalar("s32", len(data)).write()


def memory(rng):
    n = 32
    data = [[u(v) for v in ints(rng, 4)] for _ in range(n)]
    packet = lambda head, mid, tail: list(struct.pack("<3sxhxxd", bytes(head), mid, tail))
    heads = [([rng.randint(0, 255) for _ in range(3)], rng.randint(-30000, 30000), rng.uniform(-5, 5)) for _ in range(n)]
    before = [b for h, m, d in heads for b in packet(h, m, d)]
    after = [b for h, m, d in heads for b in packet([h[0], h[1] ^ 0x5A, h[2]], -m, d * 2)]
    tiny = [-128, 127, 0] + ints(rng, n - 3, -128, 127)
    kinds = []
    for t, v in enumerate(data):
        other = data[31 - t][1]
        kinds += [4, v[0], u(v[0] ^ v[1] * 5)] if t & 1 else [2 if t & 2 else 1, other, u(v[0] ^ v[1] * 5)]
    case = Case("memory", "memory", [1], [n]).given("u32", [w for v in data for w in v])
    case.out("u32", [w for t in range(n) for w in data[31 - t][::-1]]).out("u8", [v[0] >> k & 255 for v in data for k in (0, 8, 16, 24)])
    case.out("u16", [w for v in data for w in (v[1] & 0xFFFF, v[1] >> 16)]).out("f64", [w for v in data for w in (float(v[2]), -float(v[3]))])
    case.inout("u8", before, after).inout("s8", tiny, [s(v - 1, 8) for v in tiny]).out("u32", kinds).write()


def sha256(rng):
    text = bytes(rng.randint(32, 126) for _ in range(56))
    digest = [w for t in range(48) for w in struct.unpack(">8I", hashlib.sha256(text[:t]).digest())]
    Case("sha256", "sha256", [1], [48]).given("u8", text).out("u32", digest).write()


def mandelbrot(rng):
    width, limit, step = 32, 200, 0.000037
    for name, kernel, kind, real in (("mandelbrot", "_Z10mandelbrotIfEvPhT_S1_S1_ii", "f32", np.float32), ("mandelbrot64", "_Z10mandelbrotIdEvPhT_S1_S1_ii", "f64", np.float64)):
        left, top, d = real(-0.7463), real(0.1102), real(step)
        out = []
        for j in range(width):
            for i in range(width):
                cx, cy = left + real(i) * d, top + real(j) * d
                x = y = real(0)
                n = 0
                while n < limit and x * x + y * y <= real(4):
                    x, y, n = x * x - y * y + cx, real(2) * x * y + cy, n + 1
                out.append(n)
        ptx = [f"../mandelbrot/{f}.ptx" for f in FORMATS if (HERE / f"mandelbrot/{f}.ptx").exists()] if kind == "f64" else None
        case = Case(name, kernel, [4, 8], [8, 4], ptx=ptx).out("u8", out).scalar(kind, left).scalar(kind, top).scalar(kind, d)
        case.scalar("s32", width).scalar("s32", limit).write()


def life(rng):
    cells = {(x, y): rng.random() < 0.35 for x in range(16) for y in range(16)}
    flat = lambda: [int(cells[x, y]) for y in range(16) for x in range(16)]
    before = flat()
    for _ in range(5):
        n = {(x, y): sum(cells[(x + i) % 16, (y + j) % 16] for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j) for x, y in cells}
        cells = {c: n[c] == 3 or (n[c] == 2 and cells[c]) for c in cells}
    Case("life", "life", [1], [16, 16]).given("u8", before).out("u8", flat()).scalar("s32", 5).write()


def narrow(rng):
    a = [0, -1, 127, -128, 1, -2, 100] + ints(rng, 25, -128, 127)
    b = [0, 65535, 32767, 32768, 1, 255, 256] + ints(rng, 25, 0, 65535)
    out = []
    for x, y in zip(a, b):
        z = s(y, 16)
        out += [s(v, 16) for v in [x + y, s(x * 3, 8), u(x - z, 8), z >> 3, y >> 3, x << 9, z * x, min(z, x), u(x, 8) > u(y, 8), -z, abs(z), ~y ^ x,
                                   u(y * 40000) >> 16, (x & y) | (z == 0)]]
    Case("narrow", "narrow", [1], [32]).given("s8", a).given("u16", b).out("s16", out).write()


def f64(rng):
    data = [0.0, -0.0, 1.0, -2.5, 1e-300, 20.0] + [rng.uniform(-20, 20) for _ in range(26)]
    out, words = [], []
    for x in data:
        total, term = 0.0, 1.0
        for i in range(1, 20):
            total += term
            term = term * x / i
        r = abs(x) + 1
        for _ in range(8):
            r = 0.5 * (r + abs(x) / r)
        low, high = 0.0, 4.0
        while high - low > 1e-9:
            mid = (low + high) / 2
            if mid * mid * mid < abs(x):
                low = mid
            else:
                high = mid
        word = struct.unpack("<Q", struct.pack("<d", x))[0]
        out += [((2.0 * x - 3.5) * x + 0.25) * x - 7.0, total, r, low, min(max(x, -1.0), 1.0), struct.unpack("<d", struct.pack("<Q", word ^ 1))[0]]
        words.append(s(word >> 32) * 3 + s(word))
    Case("f64", "f64", [1], [32]).given("f64", data).out("f64", out).out("s64", words).write()


PROGRAMS = [arithmetic, atomics, barriers, bitonic, bits, branch_table, compare, convert, denormals, divergence, divide, dynamic_shared, f64, fast_math, globals_, groups, half,
            histogram, indirect, int64, libm, libm64, life, local_array, mandelbrot, match, matmul, memory, multiply, narrow, old_warp, printf, printf_loop, recursion,
            reduce, scan, sha256, shuffle, specials, spinlock, struct_param, switch, syncwarp, transpose, vote]


def main():
    exact.self_test()
    with np.errstate(over="ignore"):
        for program in PROGRAMS:
            program(random.Random(program.__name__))


if __name__ == "__main__":
    main()
