"""Makes forms.txt: results of whole instructions, for the arithmetic that tables.py of alu has not:
pairs of f32, f32 with sources of 16 bits, min and max of three and with .xorsign, small floats,
bytes and halves that saturate, video instructions of several elements, packing, 128 bits.
Scalar video instructions are those of video_tables.py.

    pip install mpmath; python3 form_tables.py

A row is `instruction | A B C = D` in hexadecimal. In the instruction, D32 is a register of 32 bits
for the result, A64 one of 64 bits for the first source, and so on. Floats are exact fractions (see
tables.py of alu), integers Python's: nothing here shares code or method with the executor.
"""
import itertools
import pathlib
import random
import sys
from fractions import Fraction as Q

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "alu/tests/data"))
import tables as T  # noqa: E402

random.seed(20261122)
ROWS = []
F = T.F
F16, BF16, F32 = F["f16"], F["bf16"], F["f32"]


def row(text, d, a=0, b=0, c=0):
    ROWS.append("%s | %x %x %x = %x\n" % (text, a, b, c, d))


def decode(f, x):
    return f.decode(x)


def encode(f, v, mode):
    """Of ('nan',), ('inf', s), ('num', s, magnitude)."""
    if v[0] == "nan":
        return f.nan
    if v[0] == "inf":
        return f.inf | (f.sign if v[1] else 0)
    return f.encode(v[1], v[2], mode)


def floats(f, n):
    return random.sample(T.interesting(f, 80), n)


def pairs():
    for op, n in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)):
        for mode in ("rn", "rz", "rm", "rp"):
            for flag in ("", ".ftz"):
                pool = T.interesting(F32, 80)
                for _ in range(12):
                    both = [[random.choice(pool) for _ in range(3)] for _ in range(2)]
                    out = []
                    for x in both:
                        use = [T.flushed(F32, v) if flag else v for v in x]
                        r = T.arith(F32, op, mode, *use)
                        out.append(T.flushed(F32, r) if flag else r)
                    regs = ", ".join(["A64", "B64", "C64"][:n])
                    row("%s.%s%s.f32x2 D64, %s;" % (op, mode, flag, regs), out[1] << 32 | out[0],
                        *[both[1][k] << 32 | both[0][k] for k in range(3)])


def mixed():
    for half in (F16, BF16):
        for op in ("add", "sub", "fma"):
            for mode in ("rn", "rz", "rm", "rp"):
                for flag in ("", ".sat"):
                    for _ in range(8):
                        a, b = random.choice(T.interesting(half, 60)), random.choice(T.interesting(half, 60))
                        c = random.choice(T.interesting(F32, 80))
                        x, y = (encode(F32, half.decode(v), "rn") for v in (a, b))
                        if op == "fma":
                            r = T.arith(F32, op, mode, x, y, c)
                        else:
                            r = T.arith(F32, op, mode, x, c, 0)
                        r = T.sat(F32, r) if flag else r
                        if op == "fma":
                            row("fma.%s%s.f32.%s D32, A16, B16, C32;" % (mode, flag, half.name), r, a, b, c)
                        else:
                            row("%s.%s%s.f32.%s D32, A16, B32;" % (op, mode, flag, half.name), r, a, c)


def order(v):
    """Numbers in their order, -0 before +0."""
    s, m = v[1], (Q(10) ** 400 if v[0] == "inf" else v[2])
    return (-m if s else m, 0 if s else 1)


def extreme(f, op, nan, x, y):
    a, b = f.decode(x), f.decode(y)
    if a[0] == "nan" or b[0] == "nan":
        if nan or a[0] == b[0]:
            return f.nan
        return y if a[0] == "nan" else x
    first = order(a) <= order(b)
    return x if first == (op == "min") else y


def extremes():
    for op in ("min", "max"):
        for nan in ("", ".NaN"):
            for flag in ("", ".ftz"):
                for f, kinds in ((F32, ("f32",)), (F16, ("f16", "f16x2")), (BF16, ("bf16", "bf16x2"))):
                    if f is BF16 and flag:
                        continue
                    width = 32 if f is F32 else 16
                    pool = T.interesting(f, 60)
                    for kind in kinds:
                        for _ in range(14):
                            pairs = [[random.choice(pool) for _ in range(2)] for _ in range(2 if "x2" in kind else 1)]
                            out = []
                            for x, y in pairs:
                                p, q = (T.flushed(f, v) if flag else v for v in (x, y))
                                r = extreme(f, op, nan, p & (f.sign - 1), q & (f.sign - 1))
                                out.append(r if f.decode(r)[0] == "nan" else r | (x ^ y) & f.sign)
                            join = lambda v: v[0] | (v[1] << 16 if len(v) > 1 else 0)
                            w = 32 if len(out) > 1 else width
                            row("%s%s%s.xorsign.abs.%s D%d, A%d, B%d;" % (op, flag, nan, kind, w, w, w), join(out),
                                join([p[0] for p in pairs]), join([p[1] for p in pairs]))
                for mag in ("", ".abs"):
                    pool = T.interesting(F32, 60)
                    for _ in range(14):
                        x = [random.choice(pool) for _ in range(3)]
                        use = [T.flushed(F32, v) if flag else v for v in x]
                        use = [v & (F32.sign - 1) for v in use] if mag else use
                        r = extreme(F32, op, nan, extreme(F32, op, nan, use[0], use[1]), use[2])
                        row("%s%s%s%s.f32 D32, A32, B32, C32;" % (op, flag, nan, mag), r, *x)


# Bits of fraction and exponent, largest finite number; no infinities and, in the first three, no NaN.
SMALL = {"e2m1": (1, 2, 7), "e2m3": (3, 2, 31), "e3m2": (2, 3, 31), "e4m3": (3, 4, 0x7e), "e5m2": (2, 5, 0x7b),
         "ue5m3": (3, 5, 0xfe)}


class Small:
    def __init__(self, name):
        self.name = name
        self.p, self.e, self.max = SMALL[name]
        self.bias = (1 << (self.e - 1)) - 1
        self.sign = 1 << (self.p + self.e)

    def magnitude(self, m):
        field, frac = m >> self.p, m & ((1 << self.p) - 1)
        if field == 0:
            return Q(frac) * Q(2) ** (1 - self.bias - self.p)
        return Q(frac + (1 << self.p)) * Q(2) ** (field - self.bias - self.p)

    def encode(self, v, relu):
        if v[0] == "nan":
            return 0x7f if self.e > 3 else self.max
        s = v[1]
        if relu and s:
            return 0
        sign = self.sign if s else 0
        if v[0] == "inf":
            return sign | self.max
        best = min(range(self.max + 1), key=lambda m: (abs(self.magnitude(m) - v[2]), m & 1))
        return sign | best

    def decode(self, x):
        s, m = x & self.sign != 0, x & (self.sign - 1)
        if self.name == "e4m3" and m == 0x7f or self.name == "e5m2" and m > 0x7c:
            return ("nan",)
        if self.name == "e5m2" and m == 0x7c:
            return ("inf", s)
        return ("num", s, self.magnitude(m))


def around(f, small):
    """Numbers of f near those of the small format, and edges."""
    pool = T.interesting(f, 60)
    for m in range(small.max + 1):
        mid = (small.magnitude(m) + small.magnitude(min(m + 1, small.max))) / 2
        for q in (small.magnitude(m), mid):
            x = f.encode(random.random() < 0.5, q, "rn")
            pool += [x, x + 1, max(x - 1, 0)]
    return pool


def tiny():
    for name in ("e2m1", "e2m3", "e3m2", "e4m3", "e5m2"):
        s = Small(name)
        four = 4 if name == "e2m1" else 8
        width = 8 if name == "e2m1" else 16
        old = name in ("e4m3", "e5m2")
        for relu in ("", ".relu"):
            for f in (F32, F16, BF16):
                pool = around(f, s)
                for _ in range(40):
                    a, b = random.choice(pool), random.choice(pool)
                    d = s.encode(f.decode(a), relu) << four | s.encode(f.decode(b), relu)
                    if f is F32:
                        row("cvt.rn.satfinite%s.%sx2.f32 D%d, A32, B32;" % (relu, name, width), d, a, b)
                    else:
                        row("cvt.rn.satfinite%s.%sx2.%sx2 D%d, A32;" % (relu, name, f.name, width), d, a << 16 | b)
            for f in (F16, BF16):
                for x in range(1 << (s.p + s.e + 1)) if not old else range(0, 256):
                    y = random.randrange(1 << (s.p + s.e + 1))
                    def one(v):
                        v = s.decode(v)
                        if relu and v[0] != "nan" and v[1]:
                            v = ("num", False, Q(0))
                        return encode(f, v, "rn")
                    row("cvt.rn%s.%sx2.%sx2 D32, A%d;" % (relu, f.name, name, width),
                        one(x) << 16 | one(y), x << four | y)


def to_bytes(words, f, pool, one, count):
    """Conversions of two numbers of format f to bytes."""
    for _ in range(count):
        a, b = random.choice(pool), random.choice(pool)
        d = one(a) << 8 | one(b)
        if f is F32:
            row(words + ".f32 D16, A32, B32;", d, a, b)
        else:
            row("%s.%sx2 D16, A32;" % (words, f.name), d, a << 16 | b)


def without_sign():
    """ue5m3: the source's magnitude is rounded; 0xff is the NaN, also of what is too large."""
    s = Small("ue5m3")
    for f, mode, fin in itertools.product((F32, F16, BF16), ("rn", "rz", "rp"), ("", ".satfinite")):
        pool = around(f, s)

        def one(x):
            v = f.decode(x)
            if v[0] != "num":
                return 0xfe if v[0] == "inf" and fin else 0xff
            low = max(k for k in range(0x100) if s.magnitude(k) <= v[2])
            over = (v[2] - s.magnitude(low)) / (s.magnitude(low + 1) - s.magnitude(low))
            up = {"rn": over > Q(1, 2) or over == Q(1, 2) and low & 1, "rz": False, "rp": over > 0}[mode]
            return min(low + up, 0xfe if fin or mode == "rz" else 0xff)

        to_bytes("cvt.%s%s.ue5m3x2" % (mode, fin), f, pool, one, 30)
    for f in (F16, BF16):
        for x in range(256):
            y = random.randrange(256)
            one = lambda k: f.nan if k == 255 else encode(f, ("num", False, s.magnitude(k)), "rn")
            row("cvt.rn.%sx2.ue5m3x2 D32, A16;" % f.name, one(x) << 16 | one(y), x << 8 | y)


def exponents():
    for f in (F32, BF16):
        pool = T.interesting(f, 120) + [f.encode(False, Q(2) ** e * Q(n, 4), "rn")
                                        for e in (-130, -129, -128, -127, -126, -1, 0, 5, 126, 127) for n in (4, 5, 6, 7)]
        for mode in ("rz", "rp"):
            for fin in ("", ".satfinite"):
                def one(x):
                    v = f.decode(x)
                    if v[0] == "nan":
                        return 0xff
                    if v[0] == "inf":
                        return 0xfe if fin else 0xff
                    powers = [Q(2) ** (k - 127) for k in range(256)]
                    if v[2] <= powers[0]:
                        return 0
                    k = max(k for k in range(256) if powers[k] <= v[2])
                    k += mode == "rp" and powers[k] != v[2]
                    return min(k, 0xfe if fin else 0xff)
                to_bytes("cvt.%s%s.ue8m0x2" % (mode, fin), f, pool, one, 40)
    for x in range(256):
        y = random.randrange(256)
        one = lambda k: BF16.nan if k == 255 else BF16.encode(False, Q(2) ** (k - 127), "rn")
        row("cvt.rn.bf16x2.ue8m0x2 D32, A16;", one(x) << 16 | one(y), x << 8 | y)


def fields(x, bits, signed):
    out = []
    for k in range(32 // bits):
        v = x >> (k * bits) & ((1 << bits) - 1)
        out.append(v - (1 << bits) if signed and v >> (bits - 1) else v)
    return out


def join(values, bits):
    return sum((v & ((1 << bits) - 1)) << (k * bits) for k, v in enumerate(values))


def word():
    return random.choice([random.getrandbits(32), random.getrandbits(32), 0xffffffff, 0x80808080, 0x7f7f7f7f,
                          0x80008000, 0x7fff7fff, 0, 0x80000000, 0x7fffffff, 0xff0100fe])


def limit(v, bits, signed):
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(v, lo), hi)


def bytes_and_halves():
    forms = [("add", "u16x2", ".sat"), ("add", "s16x2", ".sat")]
    forms += [(op, ty, s) for op in ("add", "sub") for ty in ("u8x4", "s8x4") for s in ("", ".sat")]
    forms += [("min", "u8x4", ""), ("max", "u8x4", "")]
    forms += [(op, "s8x4", r) for op in ("min", "max") for r in ("", ".relu")] + [("neg", "s8x4", "")]
    for op, ty, flag in forms:
        bits, signed = (16 if "16" in ty else 8), ty[0] == "s"
        for _ in range(20):
            a, b = word(), word()
            out = []
            for x, y in zip(fields(a, bits, signed), fields(b, bits, signed)):
                v = {"add": x + y, "sub": x - y, "min": min(x, y), "max": max(x, y), "neg": -x}[op]
                v = limit(v, bits, signed) if flag == ".sat" else max(v, 0) if flag == ".relu" else v
                out.append(v)
            row("%s%s.%s D32, A32%s;" % (op, flag, ty, "" if op == "neg" else ", B32"), join(out, bits), a, b)


def packing():
    for ty in ("u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"):
        bits, signed = int(ty[1:]), ty[0] == "s"
        for _ in range(30):
            pick = lambda: random.choice([word(), random.randrange(-300, 300), random.randrange(-20, 20)]) & 0xffffffff
            a, b, c = pick(), pick(), word()
            low = [limit(fields(v, 32, True)[0], bits, signed) & ((1 << bits) - 1) for v in (b, a)]
            d = low[0] | low[1] << bits
            if bits == 16:
                row("cvt.pack.sat.%s.s32 D32, A32, B32;" % ty, d, a, b)
            else:
                row("cvt.pack.sat.%s.s32.b32 D32, A32, B32, C32;" % ty, (d | c << (2 * bits)) & 0xffffffff, a, b, c)


PARTS = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]


COMPARE = {"eq": lambda x, y: x == y, "ne": lambda x, y: x != y, "lt": lambda x, y: x < y,
           "le": lambda x, y: x <= y, "gt": lambda x, y: x > y, "ge": lambda x, y: x >= y}


def simd():
    types = ("u32", "s32")
    for n, letter in ((2, "h"), (4, "b")):
        bits = 32 // n
        for op in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"):
            for dty, aty, bty in itertools.product(types, types, types):
                for _ in range(5):
                    a, b, c = word(), word(), word()
                    choose = lambda: random.choice(["", "".join(str(random.randrange(2 * n)) for _ in range(n))])
                    asel, bsel = choose(), choose()
                    mask = random.choice(["", "".join(str(k) for k in reversed(range(n)) if random.random() < 0.6)])
                    how = random.choice(["", ".sat", ".add"]) if op != "vset" else random.choice(["", ".add"])
                    def elements(ty, sel, own):
                        every = fields(a, bits, ty == "s32") + fields(b, bits, ty == "s32")
                        names = [int(k) for k in reversed(sel)] if sel else range(own * n, own * n + n)
                        return [every[k] for k in names]
                    cmp = random.choice(list(COMPARE))
                    t = []
                    for x, y in zip(elements(aty, asel, 0), elements(bty, bsel, 1)):
                        # An average is rounded away from zero at a half.
                        average = (abs(x + y) + 1) // 2 * (1 if x + y >= 0 else -1)
                        v = {"vadd": x + y, "vsub": x - y, "vavrg": average, "vabsdiff": abs(x - y),
                             "vmin": min(x, y), "vmax": max(x, y), "vset": int(COMPARE[cmp](x, y))}[op]
                        t.append(limit(v, bits, dty == "s32") if how == ".sat" else v)
                    keep = [int(k) for k in mask] if mask else range(n)
                    if how == ".add":
                        d = (c + sum(t[k] for k in keep)) & 0xffffffff
                    else:
                        d = join([t[k] if k in keep else v for k, v in enumerate(fields(c, bits, False))], bits)
                    dot = lambda sel: ".%s%s" % (letter, sel) if sel else ""
                    words = "%s%d.%s.%s.%s" % (op, n, aty, bty, cmp) if op == "vset" else \
                        "%s%d.%s.%s.%s" % (op, n, dty, aty, bty)
                    row("%s%s D32%s, A32%s, B32%s, C32;" % (words, how, dot(mask), dot(asel), dot(bsel)), d, a, b, c)


def quads():
    for _ in range(4):
        a, b, c = random.getrandbits(128), random.getrandbits(128), random.getrandbits(128)
        row("mov.b128 D128, A128;", a, a, b, c)
        low = a & (2 ** 64 - 1)
        row("mov.b128 D128, {A64, B64};", low | (b & (2 ** 64 - 1)) << 64, a, b, c)
        row("mov.b128 D128, {A32, B32, C32, A32};", a % 2 ** 32 | b % 2 ** 32 << 32 | c % 2 ** 32 << 64 | a % 2 ** 32 << 96, a, b, c)
        row("mov.b128 {_, D64}, A128;", a >> 64, a, b, c)
        row("mov.b128 {_, _, D32, _}, A128;", a >> 64 & 0xffffffff, a, b, c)
        row("mov.b128 D128, 77;", 77, a, b, c)


def constants():
    """Saturating integers, also of constants that are wider than the result; values of constants."""
    for of in ("s64", "u64"):
        for to, low, high in (("u8", 0, 255), ("s8", -128, 127), ("u16", 0, 65535), ("s16", -32768, 32767),
                              ("u32", 0, 2 ** 32 - 1), ("s32", -2 ** 31, 2 ** 31 - 1)):
            for n in (2 ** 32 + 1, 2 ** 63 - 1) + ((-4, -2 ** 32 + 7) if of == "s64" else (2 ** 64 - 2 ** 32 + 1,)):
                bits = max(16, int(to[1:]))
                row("cvt.sat.%s.%s D%d, %d;" % (to, of, bits, n), min(max(n, low), high) & (1 << bits) - 1)
    for a, b in itertools.product((0, 1, 5, 2 ** 31, 2 ** 32 - 2, 2 ** 32 - 1), repeat=2):
        row("add.sat.u32 D32, A32, B32;", min(a + b, 2 ** 32 - 1), a, b)
    row("cvt.rn.sat.f32.s64 D32, -33;", 0)
    row("cvt.rn.sat.f32.f64 D32, 0d41EFFFFFFFE00000;", 0x3f800000)
    # What ptxas 11.8 to 13.5 make of constant expressions.
    for text, value in (("1 << 65", 2), ("1 << -1", 1 << 63), ("-256 >> 65", -128), ("0xff00U >> 72", 0xff),
                        ("-7 % 4", 1), ("(7 % 4) - 9 > 0", 1), ("(1 ? 1 : 1U) - 2 < 0", 1),
                        ("(1 ? 1U : 1) - 2 < 0", 0)):
        row("mov.b64 D64, %s;" % text, value & 2 ** 64 - 1)
    row("mov.f64 D64, 0f3f800000;", 0x3f800000)


for make in (pairs, mixed, extremes, tiny, exponents, bytes_and_halves, packing, simd, quads, constants, without_sign):
    make()
with open("forms.txt", "w") as out:
    out.write("# Made by form_tables.py\n")
    out.writelines(sorted(set(ROWS)))
print(len(ROWS), "rows")
