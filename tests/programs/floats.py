"""Results of the programs about floats."""
import math
import struct

import numpy as np

import exact
from case import FORMATS, HERE, Case, bits_of, f32, from_bits, s, u
from exact import F16, F32, F64, to_int


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


def card(name):
    """What a card has written."""
    lines = (line.split() for line in (HERE / "card.txt").read_text().splitlines() if not line.startswith("#"))
    return next([from_bits(int(word, 16)) for word in words] for first, *words in lines if first == name)


def fast_math(rng):
    a = [f32(rng.uniform(0.05, 3.0)) for _ in range(32)]
    b = [f32(rng.uniform(0.1, 20.0)) for _ in range(32)]
    about = "As an NVIDIA H200 wrote it: docs/numerics.md, 13.1."
    Case("fast_math", "fast", [1], [32], about=about).given("f32", a).given("f32", b).out("f32", card("fast_math")).write()


def libm(rng):
    a = [f32(v) for v in [0.0, -0.0, 1.0, -1.0, 0.5, 3.1415927, 1.5707964, 7.75, -7.5, 1e-6]] + [f32(rng.uniform(-8, 8)) for _ in range(22)]
    b = [f32(rng.uniform(0.05, 40)) for _ in range(32)]
    about = "As an NVIDIA H200 wrote it, with code of nvcc. nvrtc's differs in a few words, by 1 ulp."
    Case("libm", "libm", [1], [32], about=about).given("f32", a).given("f32", b).out("f32", card("libm"), ulps=1).write()


def libm64(rng):
    a = [0.0, -0.0, 1.0, -1.0, 0.5, math.pi, math.pi / 2, 30.0, -30.0, 1e-9] + [rng.uniform(-30, 30) for _ in range(22)]
    b = [rng.uniform(0.05, 40) for _ in range(32)]
    out = []
    for x, y in zip(a, b):
        out += [math.sin(x), math.cos(x * 1e9), math.tan(x), math.exp(x), math.log(y), y ** (x * 0.3), math.atan2(x, y), math.cbrt(x), math.sinh(x * 0.1), math.fmod(x, y),
                math.floor(x) + math.ceil(y) * 100.0 + math.trunc(x) * 10000.0 + round(y) * 1000000.0, math.asin(x * 0.03)]
    Case("libm64", "libm64", [1], [32]).given("f64", a).given("f64", b).out("f64", out, ulps=8).write()


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
