#!/usr/bin/env python3
"""Writes case.toml of every program: inputs from a fixed seed, results computed here in plain Python.

Nothing of texunit takes part, and nothing of the PTX: each function below says in Python what the program's CUDA
source says. README.md describes the file format.
"""
import random
import struct

import numpy as np

import exact
from case import Case, f32, ints, s, u
from floats import arithmetic, compare, convert, denormals, f64, fast_math, half, libm, libm64, mandelbrot
from integers import bits, divide, int64, multiply, narrow, sha256
import halves
import units


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
                total = exact.fma(a[y * n + k], b[k * n + x], total, exact.F32)
            # The tile is padded with zeros up to a multiple of eight.
            for k in range(n, -(-n // 8) * 8):
                total = exact.fma(0.0, 0.0, total, exact.F32)
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


def life(rng):
    cells = {(x, y): rng.random() < 0.35 for x in range(16) for y in range(16)}
    flat = lambda: [int(cells[x, y]) for y in range(16) for x in range(16)]
    before = flat()
    for _ in range(5):
        n = {(x, y): sum(cells[(x + i) % 16, (y + j) % 16] for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j) for x, y in cells}
        cells = {c: n[c] == 3 or (n[c] == 2 and cells[c]) for c in cells}
    Case("life", "life", [1], [16, 16]).given("u8", before).out("u8", flat()).scalar("s32", 5).write()


def async_copy(rng):
    v = ints(rng, 256, -1000, 1000)
    sums = [0] * 64
    for i in range(4):
        sums = [sums[t] * 3 + v[64 * i + 63 - t] for t in range(64)]
    third = [0 if t % 2 else v[128 + t] for t in range(64)]
    out = v[63::-1] + [v[64 + (t ^ 1)] for t in range(64)] + third[::-1] + sums
    Case("async_copy", "async_copy", [1], [64]).given("s32", v).out("s32", out).write()


def product(rng, name, n, block):
    a, b = ([float(rng.randint(-99, 99)) for _ in range(n * n)] for _ in range(2))
    # Sums of integers below 2^24 are exact in any order.
    c = [sum(a[row * n + k] * b[k * n + column] for k in range(n)) for row in range(n) for column in range(n)]
    Case(name, name, [n // 16, n // 16], block).given("f32", a).given("f32", b).out("f32", c).scalar("s32", n).write()


def barrier_matmul(rng):
    product(rng, "barrier_matmul", 128, [16, 16])


def barrier_stages(rng):
    product(rng, "barrier_stages", 64, [16, 20])


def heap(rng):
    v = ints(rng, 64, 0, 1000)
    out = []
    for t in range(64):
        n, of = v[t] & 15, 63 - t
        total = 0
        for i in reversed(range(v[of] & 15)):
            total = s(total * 3 + of + i)
        out += [total, n * n if n % 2 else n * (n + 1) // 2, 80]
    Case("heap", "heap", [1], [64]).given("s32", v).out("s32", out).write()


def block_groups(rng):
    v = ints(rng, 128, -50, 50)
    out = []
    for t, x in enumerate(v):
        warp, quad, wide = (v[t // n * n:t // n * n + n] for n in (32, 4, 64))
        odd = [y for y in warp if y & 1]
        same = sum((y >> 1) & 3 == (x >> 1) & 3 for y in odd)
        out += [sum(warp), min(quad), sum(warp[:t % 32 + 1]), sum(quad[:t % 4]), max(wide), sum(v)]
        out += [sum(odd) * 100 + same if x & 1 else 0, 1000 + t // 64 * 100 + 64]
    Case("block_groups", "block_groups", [1], [128]).given("s32", v).out("s32", out).write()


def alloca(rng):
    v = ints(rng, 64, 0, 1000)
    out = []
    for t in range(64):
        n = v[t] & 31
        a = [t + i * i for i in range(n)]
        nested = sum(m + i * i for m in range(n % 7 + 1) for i in range(m + 1))
        out += [a[-1] if n else 0, sum(a[i] * (n - i) for i in range(n)), nested]
    Case("alloca", "allocas", [1], [64]).given("s32", v).out("s32", out).write()


def grid_sync(rng):
    n, block, rounds = 12 * 48, 48, 5
    cells = list(range(n))
    for _ in range(rounds):
        cells = [s(c + 2 * cells[(t + block + 1) % n]) for t, c in enumerate(cells)]
    case = Case("grid_sync", "grid_sync", [12], [block]).inout("s32", [0] * n, cells)
    case.lines.insert(1, "cooperative = true")
    case.out("s32", [s(2 * c + 1) for c in cells]).scalar("s32", rounds).write()


PROGRAMS = [arithmetic, alloca, async_copy, atomics, barrier_matmul, barrier_stages, barriers, bitonic, block_groups, grid_sync, heap, bits, branch_table, compare, convert, denormals, divergence, divide, dynamic_shared, f64, fast_math, globals_, groups, half,
            histogram, indirect, int64, libm, libm64, life, local_array, mandelbrot, match, matmul, memory, multiply, narrow, old_warp, printf, printf_loop, recursion,
            reduce, scan, sha256, shuffle, specials, spinlock, struct_param, switch, syncwarp, transpose, vote, *units.PROGRAMS, *halves.PROGRAMS]


def main():
    exact.self_test()
    with np.errstate(over="ignore"):
        for program in PROGRAMS:
            program(random.Random(program.__name__))


if __name__ == "__main__":
    main()
