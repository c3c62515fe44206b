"""Results of the programs about integers."""
import hashlib
import struct

from case import EDGES, Case, ints, s, u


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


def sha256(rng):
    text = bytes(rng.randint(32, 126) for _ in range(56))
    digest = [w for t in range(48) for w in struct.unpack(">8I", hashlib.sha256(text[:t]).digest())]
    Case("sha256", "sha256", [1], [48]).given("u8", text).out("u32", digest).write()


def narrow(rng):
    a = [0, -1, 127, -128, 1, -2, 100] + ints(rng, 25, -128, 127)
    b = [0, 65535, 32767, 32768, 1, 255, 256] + ints(rng, 25, 0, 65535)
    out = []
    for x, y in zip(a, b):
        z = s(y, 16)
        out += [s(v, 16) for v in [x + y, s(x * 3, 8), u(x - z, 8), z >> 3, y >> 3, x << 9, z * x, min(z, x), u(x, 8) > u(y, 8), -z, abs(z), ~y ^ x,
                                   u(y * 40000) >> 16, (x & y) | (z == 0)]]
    Case("narrow", "narrow", [1], [32]).given("s8", a).given("u16", b).out("s16", out).write()
