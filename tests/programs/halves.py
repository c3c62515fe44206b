"""Results of the programs of half precision and of SIMD integers, from the meaning of their sources."""
import math
import struct

import exact
from case import Case, s, u

F16, BF16 = exact.F16, (8, -126, 127)
NAN = 0x7FFF


def pack(x, fmt):
    if math.isnan(x):
        return NAN
    if fmt == F16:
        return struct.unpack("<H", struct.pack("<e", x))[0]
    return struct.unpack("<I", struct.pack("<f", x))[0] >> 16


def unpack(c, fmt):
    return struct.unpack("<e", struct.pack("<H", c))[0] if fmt == F16 else struct.unpack("<f", struct.pack("<I", c << 16))[0]


def sat(x):
    return 0.0 if math.isnan(x) or x <= 0 else min(x, 1.0)


def relu(x):
    return 0.0 if x <= 0 else x


def extreme(x, y, least, keeps_nan):
    if math.isnan(x) or math.isnan(y):
        return math.nan if keeps_nan or math.isnan(x) == math.isnan(y) else (y if math.isnan(x) else x)
    key = lambda v: (v, math.copysign(1, v))
    return min(x, y, key=key) if least else max(x, y, key=key)


def singles(x, y, z, f):
    a, b, m = exact.add(x, y, f), exact.add(x, -y, f), exact.mul(x, y, f)
    p = exact.fma(x, y, z, f)
    return [a, b, m, p, sat(a), sat(b), sat(m), sat(p), relu(p), extreme(x, y, True, False), extreme(x, y, False, False),
            extreme(x, y, True, True), extreme(x, y, False, True), abs(x), -x, x]


def doubles(u, v, w, f):
    """Each function of a pair, of two halves."""
    one = lambda x, y, z: [exact.add(x, y, f), exact.mul(x, y, f), exact.fma(x, y, z, f), relu(exact.fma(x, y, z, f)),
                           extreme(x, y, True, False), extreme(x, y, False, True), abs(x), -y]
    return [pack(l, f) | pack(h, f) << 16 for l, h in zip(one(u[0], v[0], w[0]), one(u[1], v[1], w[1]))]


def unordered(x, y):
    return math.isnan(x) or math.isnan(y)


def tests(x, y, u, v):
    both = lambda test: all(test(a, b) for a, b in zip(u, v))
    bits = [x < y, x == y, unordered(x, y) or x >= y, math.isnan(x), both(lambda a, b: a == b), both(lambda a, b: unordered(a, b) or a < b)]
    return sum(int(b) << k for k, b in enumerate(bits))


def half_math(rng):
    edges = [0, 0x8000, 1, 0x8001, 0x3FF, 0x400, 0x3C00, 0xBC00, 0x3BFF, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x3F80, 0x7F80, 0xFF80, 0x3F7F, 0x7F7F, 0x80]
    rows = [[rng.choice(edges) for _ in range(3)] for _ in range(12)]
    # Magnitudes near each other, so that sums cancel and products stay finite, in both formats.
    rows += [[rng.randint(lo, lo + 0x600) | rng.choice([0, 0x8000]) for _ in range(3)] for lo in [0x3A00, 0x3800, 0x3E80, 0x4000] for _ in range(5)]
    to, pairs, out = [], [], []
    for c in rows:
        flags = []
        for f in (F16, BF16):
            x, y, z = (unpack(k, f) for k in c)
            to += [pack(r, f) for r in singles(x, y, z, f)]
            pairs += doubles((x, y), (y, z), (z, x), f)
            flags.append(tests(x, y, (x, y), (y, z)))
        x, y, z = (unpack(k, F16) for k in c)
        p, q, r = (unpack(k, BF16) for k in c)
        two = lambda test, one: sum((one if test(a, b) else 0) << k for k, (a, b) in ((0, (x, y)), (16, (y, z))))
        bf2 = lambda test, one: sum((one if test(a, b) else 0) << k for k, (a, b) in ((0, (p, q)), (16, (q, r))))
        out += [two(lambda a, b: a < b, 0x3C00), two(lambda a, b: unordered(a, b) or a >= b, 0x3C00),
                bf2(lambda a, b: a <= b, 0x3F80), bf2(lambda a, b: unordered(a, b) or a != b, 0x3F80),
                two(lambda a, b: a > b, 0xFFFF), bf2(lambda a, b: unordered(a, b) or a == b, 0xFFFF)] + flags
        down = 0 if math.isnan(x) else max(0, min(x, 65535))
        near = 0 if math.isnan(y) else max(-32768, min(y, 32767))
        out.append(int(down) | u(round(near), 16) << 16)
    case = Case("half_math", "half_math", [1], [32]).given("u16", [k for c in rows for k in c])
    case.out("u16", to).out("u32", pairs).out("u32", out).write()


def half_atomics(rng):
    n = 32
    of = lambda f, values: [pack(float(v), f) for v in values]
    h, b, hh, bb = [0] * 3, [0] * 2, [0] * 2, [0] * 4
    f2, f4 = [0.0] * 2, [0.0] * 4
    for t in range(n):
        h[t % 3] += t % 5 - 1
        b[t % 2] += t % 4
        hh[0] += t % 7
        hh[1] -= t % 2
        bb[2] += t & 1
        bb[3] -= 2 * (t & 1)
        f2 = [f2[0] + t, f2[1] - t]
        f4 = [v + w for v, w in zip(f4, (1, 2, t & 1, 0.5))]
    zeros = lambda values: [0] * len(values)
    case = Case("half_atomics", "half_atomics", [1], [n])
    for f, values in ((F16, h), (BF16, b), (F16, hh), (BF16, bb)):
        case.inout("u16", zeros(values), of(f, values))
    case.inout("f32", [0.0] * 2, f2).inout("f32", [0.0] * 4, f4)
    case.out("u32", [pack(float(n), F16) << 16, pack(float(n), BF16) | pack(n / 2.0, BF16) << 16]).write()


def parts(x, bits, signed=False):
    out = [x >> k & ((1 << bits) - 1) for k in range(0, 32, bits)]
    return [s(v, bits) for v in out] if signed else out


def join(values, bits):
    return sum(u(v, bits) << (k * bits) for k, v in enumerate(values))


def limit(v, bits, signed):
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(v, low), high)


def each(a, b, bits, signed, f):
    return join([f(x, y) for x, y in zip(parts(a, bits, signed), parts(b, bits, signed))], bits)


def nth_set(mask, base, n):
    places = [base] if n == 0 else range(base, 32) if n > 0 else range(base, -1, -1)
    found = [k for k in places if mask >> k & 1]
    return found[max(abs(n), 1) - 1] if len(found) >= max(abs(n), 1) else 0xFFFFFFFF


def integers(a, b, c):
    dot = lambda x, y: sum(v * w for v, w in zip(x, y))
    signed = lambda bits: (parts(a, bits, True), parts(b, bits, True))
    plain = lambda bits: (parts(a, bits), parts(b, bits))
    pair, shift = b << 32 | a, c & 31
    both = parts(a, 8) + parts(b, 8)
    picked = [both[c >> (4 * k) & 7] for k in range(4)]
    low = lambda v: s(v & 0xFFFFFF, 24)
    out = [dot(*signed(8)) + c, dot(*plain(8)) + c, dot(signed(16)[0], signed(8)[1][:2]) + c, dot(plain(16)[0], plain(8)[1][2:]) + c]
    out += [each(a, b, 8, False, lambda x, y: x + y), each(a, b, 8, True, lambda x, y: limit(x + y, 8, True)),
            each(a, b, 16, False, lambda x, y: limit(x + y, 16, False)), each(a, b, 16, False, lambda x, y: x - y),
            each(a, b, 8, False, lambda x, y: limit(x - y, 8, False)), each(a, b, 8, False, lambda x, y: abs(x - y)),
            each(a, b, 16, True, lambda x, y: abs(x - y)), each(a, b, 8, True, max), each(a, b, 16, False, min),
            each(a, b, 8, False, lambda x, y: (x + y + 1) >> 1),
            each(a, b, 16, True, lambda x, y: (abs(x + y) + 1) // 2 * (1 if x + y >= 0 else -1)),
            each(a, b, 8, True, lambda x, y: -(x > y)), each(a, b, 16, False, lambda x, y: int(x == y)),
            sum(abs(x - y) for x, y in zip(*plain(8))), each(a, b, 8, True, lambda x, _: limit(-x, 8, True)),
            each(a, b, 16, True, lambda x, _: abs(x))]
    out += [pair << shift >> 32, pair >> min(c & 63, 32), join(picked, 8), abs(a - b) + c,
            ((a + b) >> 1) ^ ((s(a) + s(b) + 1) >> 1), low(a) * low(b), nth_set(a, c & 31, (b & 7) - 3)]
    out.append(limit(parts(a, 8)[1] + parts(b, 16, True)[1], 32, True))
    out.append(abs(parts(a, 16, True)[0] - parts(b, 8, True)[3]) + c)
    out.append((parts(a, 16, True)[1] * parts(b, 8)[0] - s(c)) >> 7)
    chosen = [both[k] for k in (0, 1, 6, 7)]
    differences = [limit(x - y, 8, True) for x, y in zip(chosen, parts(b, 8, True))]
    old = parts(c, 8)
    out.append(join([old[k] if k == 2 else differences[k] for k in range(4)], 8))
    halves = parts(a, 16, True)
    out.append(c + sum(x < y for x, y in zip(parts(a, 16), (halves[1], halves[0]))))
    return [u(v) for v in out]


def simd_integers(rng):
    edges = [0, 0xFFFFFFFF, 0x80008000, 0x7FFF7FFF, 0x80808080, 0x7F7F7F7F, 0x01020304, 0x80000000, 0x0000FFFF]
    rows = [[rng.choice(edges) for _ in range(3)] for _ in range(12)] + [[rng.getrandbits(32) for _ in range(3)] for _ in range(20)]
    case = Case("simd_integers", "simd_integers", [1], [32]).given("u32", [w for r in rows for w in r])
    case.out("u32", [w for r in rows for w in integers(*r)]).write()


PROGRAMS = [half_math, half_atomics, simd_integers]
