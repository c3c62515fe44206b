#!/usr/bin/env python3
"""The rules of docs/numerics.md in exact arithmetic: one fetch or access at a time, in fractions.

Written from the text of the rules alone, without a look at the Rust code, so that the two can be
compared. Slow and plain. `rules.py HARDWARE_DIR MODEL_DIR [STEP]` checks it against the published
vectors (see convert.py), every STEP-th fetch of each; `rules.py CASES.toml` checks random cases that
`cargo run -p texunit-cases --example record` has written.

Of rules that are open in their last digits (cube gradients, anisotropic gradients, a cube's missing corner under a
filter of several levels) it answers only where no last digit matters, and raises ValueError elsewhere.
Not here: block-compressed formats.
"""

from fractions import Fraction as F
from math import ceil, floor

# Rule 4.7: logarithms of 256 mantissas, in 1/256. Rule 5.1: sRGB decoded, in 1/65536.
LOG2_256 = bytes.fromhex(
    "000204050608090b0c0d0f101213141617181a1b1c1e1f202223242627282a2b2c2d2f30313234353637393a3b3c3e3f"
    "40414244454647484a4b4c4d4e4f51525354555658595a5b5c5d5e5f6162636465666768696a6b6d6e6f707172737475"
    "767778797a7b7c7d7e7f808182838485878889898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a2a3a4"
    "a5a6a7a8a9aaabacadadaeafb0b1b2b3b4b5b5b6b7b8b9babbbcbcbdbebfc0c1c2c3c3c4c5c6c7c8c8c9cacbcccdcdce"
    "cfd0d1d2d2d3d4d5d6d6d7d8d9dadadbdcdddededfe0e1e2e2e3e4e5e5e6e7e8e9e9eaebececedeeefeff0f1f2f2f3f4"
    "f5f5f6f7f8f8f9fafbfbfcfdfdfeffff"
)
SRGB = (
    "0000000014000280003c0005000064000780008c000a0000b4000c8000dc000f000108001200013800154001700018c0"
    "01ac001cc001ec0020c00230002580027c002a4002d0002f8003240035400380003b0003e8004180045000488004c000"
    "4f80053000570005b0005f00063000670006b8007000074800790007e00083000880008d00092000970009c000a2000a"
    "8000ad000b3000b9000bf000c5000cc000d2000d8000e0000e6000ec000f4000fa001020010a00110001180012000128"
    "00130001380014000148001520015a001620016c001740017e00186001900019a001a2001ac001b6001c0001ca001d40"
    "01e0001e8001f4002000020800214002200022c0023800244002500025c0026800274002800028c00298002a4002b000"
    "2c0002cc002d8002e8002f400300003100031c0032c00338003480035800364003740038400394003a0003b0003c0003"
    "d0003e0003f000400004100042000430004400045000468004780048800498004a8004c0004d0004e0004f0005080051"
    "8005280054000550005680057800590005a0005b0005c8005e0005f00060800618006300064000658006700068800698"
    "006b0006c8006d8006f000708007200073800750007680078000790007b0007c0007e0007f0008100082000840008500"
    "087000890008a0008c0008d0008f0009100092000940009600097000990009b0009c0009e000a0000a1000a3000a5000"
    "a7000a9000aa000ac000ae000b0000b2000b3000b5000b7000b9000bb000bd000bf000c1000c3000c5000c7000c9000c"
    "b000cd000cf000d1000d3000d5000d7000d9000db000dd000df000e1000e3000e5000e8000ea000ec000ee000f0000f2"
    "000f4000f6000fa000fc000fe0010000"
)
SRGB = [int(SRGB[5 * i : 5 * i + 5], 16) for i in range(256)]

# ---- Floats as bits ----

INF, NAN = "inf", "nan"


def float_of(word):
    """(sign, magnitude): a fraction, INF or NAN."""
    sign, exponent, fraction = word >> 31, word >> 23 & 255, word & 0x7FFFFF
    if exponent == 255:
        return sign, NAN if fraction else INF
    if exponent == 0:
        return sign, F(fraction, 2**149)
    return sign, F(fraction + 0x800000) * F(2) ** (exponent - 150)


def half_of(code):
    sign, exponent, fraction = code >> 15, code >> 10 & 31, code & 0x3FF
    if exponent == 31:
        return sign, NAN if fraction else INF
    if exponent == 0:
        return sign, F(fraction, 2**24)
    return sign, F(fraction + 0x400) * F(2) ** (exponent - 25)


def number(word):
    """A finite float as a fraction."""
    sign, value = float_of(word)
    return -value if sign else value


def ilogb(value):
    """Exponent of a positive fraction."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if F(2) ** e <= value else e - 1


def rounded(value, bits, least, ties):
    """A fraction to `bits` significant bits, quantum not below 2^least. ties: even, away, cut."""
    if value == 0:
        return F(0)
    magnitude = abs(value)
    quantum = F(2) ** max(ilogb(magnitude) - bits + 1, least)
    n = magnitude / quantum
    whole = floor(n)
    rest = n - whole
    if ties != "cut" and (rest > F(1, 2) or rest == F(1, 2) and (ties == "away" or whole % 2)):
        whole += 1
    return (whole if value > 0 else -whole) * quantum


def f32(value, sign=0, ties="even"):
    """Bits of a fraction; `sign` is that of an exact zero."""
    s = int(value < 0) if value else sign
    m = abs(rounded(F(value), 24, -149, ties))
    if m == 0:
        return s << 31
    if m >= F(2) ** 128:
        return s << 31 | 0x7F800000
    e = max(ilogb(m), -126)
    fraction = int(m / F(2) ** (e - 23))
    return s << 31 | ((e + 126 << 23) + fraction if fraction >= 0x800000 else fraction)


def f16_bits(value, sign=0, ties="even"):
    s = int(value < 0) if value else sign
    m = abs(rounded(F(value), 11, -24, ties))
    if m == 0:
        return s << 15
    if m >= 65536:
        return s << 15 | 0x7C00
    e = max(ilogb(m), -14)
    fraction = int(m / F(2) ** (e - 10))
    return s << 15 | ((e + 14 << 10) + fraction if fraction >= 0x400 else fraction)


def f(value):
    """Bits of a Python float."""
    import struct

    return struct.unpack("<I", struct.pack("<f", value))[0]


def widen(code):
    """f16 to f32 bits, exactly; NaN payloads stay (2, point-sampled values)."""
    sign, value = half_of(code)
    if value == NAN or value == INF:
        return sign << 31 | 0x7F800000 | (code & 0x3FF) << 13
    return f32(-value if sign else value, sign)


def narrow(word):
    """Rule 2.6: a result as f16, to nearest even."""
    sign, value = float_of(word)
    if value == NAN and word != 0x7FFFFFFF:
        raise ValueError("no rule says what becomes of the payload of a NaN")
    if value == NAN:
        return 0x7FFF
    if value == INF:
        return sign << 15 | 0x7C00
    return f16_bits(-value if sign else value, sign)


def rhu(value):
    return floor(F(value) + F(1, 2))


# ---- Formats ----

# name -> kind of each channel when read as elements, when read as normalized floats
PLAIN = {
    "u8": ("uint", 8, "unorm"), "s8": ("sint", 8, "snorm"), "u16": ("uint", 16, "unorm"),
    "s16": ("sint", 16, "snorm"), "u32": ("uint", 32, None), "s32": ("sint", 32, None),
    "f16": ("f16", 16, None), "f32": ("f32", 32, None),
    "unorm8": (None, 8, "unorm"), "unorm16": (None, 16, "unorm"), "snorm8": (None, 8, "snorm"),
    "snorm16": (None, 16, "snorm"),
}


def channels(format_name):
    """[(element kind, bits, normalized kind)] of each channel."""
    if format_name == "rgb10a2":
        return [("unorm", 10, None)] * 3 + [("unorm", 2, None)]
    if format_name == "depth16":
        return [("unorm", 16, "unorm")]
    if format_name == "depth32f":
        return [("f32", 32, "f32")]
    name, _, count = format_name.partition("x")
    return [PLAIN[name]] * int(count or 1)


def kinds(texture, sampler):
    """(kind, bits) of each channel as this texture reads it."""
    found = []
    for i, (element, bits, normalized) in enumerate(channels(texture.format)):
        kind = normalized if texture.read == "normalized" else element
        # Section 5: 8-bit unorm; x, y, z of four channels, x of one or two.
        colours = 3 if len(channels(texture.format)) == 4 else 1
        if sampler.get("srgb") and kind == "unorm" and bits == 8 and i < colours:
            kind = "srgb"
        found.append((kind, bits))
    return found


def signed(code, bits):
    return code - (1 << bits) if code >> (bits - 1) else code


def point_value(kind, bits, code):
    """2, point-sampled values."""
    if kind == "f32" or kind == "uint":
        return code
    if kind == "sint":
        return signed(code, bits) & 0xFFFFFFFF
    if kind == "f16":
        return widen(code)
    if kind == "unorm":
        return f32(F(code, 2**bits - 1))
    if kind == "snorm":
        limit = 2 ** (bits - 1) - 1
        return f32(F(max(signed(code, bits), -limit), limit))
    if kind == "srgb":
        return f32(F(SRGB[code], 65536))
    raise ValueError(kind)


def widened16(code, bits):
    """A unorm code to 16 bits by repeating its bits."""
    out, have = 0, 0
    while have < 16:
        out, have = out << bits | code, have + bits
    return out >> (have - 16)


def blend(kind, bits, groups):
    """2, sum: groups of (weight, code), one group a 2x2 footprint."""
    every = [(w, c) for group in groups for w, c in group if w]
    if kind == "unorm":
        return f32(F(rhu(F(sum(w * widened16(c, bits) for w, c in every), 256)), 65535))
    if kind == "snorm" and bits == 16:
        return f32(F(max(rhu(F(sum(w * signed(c, 16) for w, c in every), 256)), -32767), 32767))
    if kind == "snorm":
        total = sum(w * signed(c, 8) for w, c in every)
        return snorm8(total)
    if kind == "srgb":
        return blend_srgb(groups)
    if kind in ("f32", "f16"):
        return blend_float(kind, groups)
    raise ValueError(f"{kind} has no filter")


def snorm8(total):
    return f32(F(max(total + ((257 * (total >> 4) + 1024) >> 11), -32767), 32767))


def blend_srgb(groups):
    """Rule 5.2."""
    total = F(0)
    for group in groups:
        group = [(w, c) for w, c in group if w]
        exponents = [ilogb(F(SRGB[c | 7], 65536)) for _, c in group]
        if exponents:
            quantum = F(2) ** (max(exponents) - 7)
            total += sum(w * floor(F(SRGB[c], 65536) / quantum) * quantum for w, c in group)
    return f32(rounded(total / 256, 11, -24, "away"))


def blend_float(kind, groups):
    """Section 2, floats, and rules 2.1 to 2.5."""
    of, texel_bits, sum_bits = (float_of, 27, 28) if kind == "f32" else (half_of, 14, 15)
    valued = []
    for group in groups:
        texels = []
        for w, code in group:
            if w:
                sign, value = of(code)
                if kind == "f32" and value not in (INF, NAN) and value < F(2) ** -126:
                    value = F(0)
                texels.append((w, sign, value))
        valued.append(texels)
    every = [t for group in valued for t in group]
    nan = 0x7FFFFFFF if kind == "f32" else 0x7FFFE000
    if any(v == NAN for _, _, v in every):
        return nan
    signs = {s for _, s, v in every if v == INF}
    if signs:
        return nan if len(signs) == 2 else signs.pop() << 31 | 0x7F800000
    if all(s and v == 0 for _, s, v in every):
        return 0x80000000
    exponents = [max((ilogb(v) for _, _, v in group if v), default=None) for group in valued]
    if all(e is None for e in exponents):
        return 0
    grid = F(2) ** (max(e for e in exponents if e is not None) - sum_bits)
    total = F(0)
    for group, e in zip(valued, exponents):
        if e is None:
            continue
        quantum = F(2) ** (e - texel_bits)
        cut = sum(w * (-1 if s else 1) * floor(v / quantum) * quantum for w, s, v in group)
        total += floor(cut / grid) * grid
    total /= 256
    if kind == "f16":
        return widen(f16_bits(total, ties="away"))
    word = f32(total, ties="away")
    return word & 0x80000000 if word & 0x7F800000 == 0 else word


def border_code(kind, bits, word):
    """Section 6."""
    sign, value = float_of(word)
    if kind == "f32":
        return word
    if kind in ("uint", "sint"):
        return word & (2**bits - 1)
    if kind == "f16":
        if value == NAN:
            return sign << 15 | 0x7C00 | ((word >> 13 & 0x3FF) or 1)
        if value == INF:
            return sign << 15 | 0x7C00
        value = min(rounded(value, 11, -24, "cut"), F(65504))
        return f16_bits(-value if sign else value, sign)
    if kind == "srgb":
        return border_srgb(sign, value)
    m = bits - 1 if kind == "snorm" else bits
    if value == NAN or (sign and kind == "unorm"):
        return 0
    value = F(1) if value == INF else min(value, F(1))
    v = floor(value * 2 ** (m + 4))
    code = (v * (2**m - 1) + 2 ** (m + 3) - 1) >> (m + 4)
    return (-code if sign else code) & (2**bits - 1)


def border_srgb(sign, value):
    """Rule 5.3. Python's floats are precise enough away from the steps, where corners.py stays."""
    if value == NAN or sign:
        return 0
    value = 1.0 if value == INF else min(float(value), 1.0)
    e = 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
    return int(e * 255 + 0.50108)


# ---- From coordinate to texel ----

BIG = 2**31


def in_texels(word, n, normalized):
    """Rules 1.1 to 1.3, 1.12: a coordinate in texels."""
    sign, value = float_of(word)
    if value == NAN:
        return F(0)
    if value == INF:
        return F(-BIG if sign else BIG)
    value = -value if sign else value
    if not normalized:
        u = value
    elif n & (n - 1) == 0:
        s, v = float_of(f32(value * n))
        u = F(BIG) if v == INF else v
        u = -u if s else u
    else:
        u = F(floor(value * 2**21), 2**21) * n
    return max(min(u, F(BIG)), F(-BIG))


def low_bits(e, bits):
    e &= 2**bits - 1
    return e - 2**bits if e >> (bits - 1) else e


def offsets(op, e):
    """Rule 1.4: what is kept of the operand; for 1D, x and the row."""
    bits = 6 if op.gather else 4
    if op.geometry == "1d":
        return [low_bits(e[0], 4), low_bits(e[0] >> 4, 4)]
    return [low_bits(i, bits) for i in e]


def saturated(i):
    return max(min(i, BIG - 1), -BIG)


def neighbours(u, n, mode):
    """Rule 1.6: index and weight of the upper texel."""
    if mode == "clamp":
        u = max(min(u, n - F(1, 2)), F(1, 2))
    if mode == "clamp_ogl":
        u = max(min(u, F(n)), F(0))
    b = u - F(1, 2)
    i = floor(b)
    a = floor((b - i) * 256 + F(1, 2))
    return (saturated(i + 1), 0) if a == 256 else (saturated(i), a)


def address(k, n, mode):
    """Rule 1.7; None is the border colour."""
    if mode == "clamp":
        return min(max(k, 0), n - 1)
    if mode == "wrap":
        return k % n
    if mode == "mirror":
        t = k % (2 * n)
        return t if t < n else 2 * n - 1 - t
    return k if 0 <= k < n else None


def split(total, a, upper):
    """Weights of the lower and upper part; `upper` tells which one is rounded."""
    if upper:
        hi = rhu(F(total * a, 256))
        return total - hi, hi
    lo = rhu(F(total * (256 - a), 256))
    return lo, total - lo


# ---- What is fetched from ----


class Texture:
    """texel(level, plane, sample, x, y, z) -> codes."""

    def __init__(self, format, geometry, size, texel, layers=1, levels=None, samples=1,
                 read="element", normalized=False, missing=None, array_levels=None, memory=False):
        self.format, self.geometry, self.texel = format, geometry, texel
        # Those of the array, where the texture is a view of some; memory: linear or pitched, no array.
        self.array_levels, self.memory = array_levels or levels or 1, memory
        self.size = list(size) + [1] * (3 - len(size))
        self.layers, self.levels, self.samples = layers, levels, samples
        self.read, self.normalized, self.missing = read, normalized, missing

    def level_size(self, level):
        return [max(1, n >> level) for n in self.size]

    @property
    def count(self):
        return self.levels or 1


class Op:
    """An instruction by its name."""

    def __init__(self, name, offset=False, compare=False):
        parts = name.split(".")
        self.name, self.offset, self.compare = name, offset, compare
        self.gather = "rgba".index(parts.pop(1)) + 1 if parts[0] == "tld4" else 0
        self.lod = parts.pop(1) if parts[1] in ("base", "level", "grad") else None
        _, self.geometry, _, self.result, self.coord = parts


AXES = {"1d": 1, "a1d": 1, "3d": 3}


def sees(op, texture):
    """Rule 1.13: what an instruction reads beside its own geometry."""
    own, array = texture.geometry, not texture.memory
    return (
        op.geometry == own
        or (op.geometry, own) == ("1d", "2d") and array and texture.size[1] == 1
        or (op.geometry, own) in (("a1d", "1d"), ("a2d", "2d")) and array
    )


def fetch(texture, sampler, op, o):
    """Words x, y, z, w (of f16x2: two), and whether all texels are resident."""
    if not sees(op, texture):
        raise TypeError(f"{op.name} does not read {texture.geometry} of {texture.size}")
    words, resident = Fetch(texture, sampler, op, o).answer()
    words = words + [0] * (4 - len(words))
    if not resident:
        words = [0, 0, 0, 0]
    if op.result == "f16":
        words = [narrow(w) for w in words]
    if op.result == "f16x2":
        halves = [narrow(w) for w in words]
        words = [halves[1] << 16 | halves[0], halves[3] << 16 | halves[2], 0, 0]
    return words, resident


class Fetch:
    def __init__(self, texture, sampler, op, o):
        self.t, self.s, self.op, self.o = texture, sampler, op, o
        self.kinds = kinds(texture, sampler)
        self.axes = AXES.get(op.geometry, 2)
        self.cube = op.geometry in ("cube", "acube")
        self.resident = True
        mode = sampler.get("address", ["clamp"])
        self.modes = [mode[min(i, len(mode) - 1)] for i in range(3)]
        forced = sampler.get("force_unnormalized", False)
        described = texture.normalized and not forced
        # Rules 1.8, 1.11 (an array of one level acts as one that is not mipmapped), 7.5.
        self.normalized = described or texture.array_levels > 1 or self.cube
        if not described and not self.cube:
            self.modes = ["clamp" if m in ("wrap", "mirror") else m for m in self.modes]
        self.linear = sampler.get("filter") == "linear"

    def answer(self):
        coords = list(self.o["coords"])
        if self.op.coord == "s32":
            return self.integer(coords), self.resident
        plane = 0
        if self.op.geometry in ("a1d", "a2d", "acube"):
            plane = min(coords.pop(0), self.t.layers - 1)
        if self.cube:
            face, coords = face_of(coords)
            plane = 6 * plane + face
        if self.op.gather:
            return self.gather(coords, plane), self.resident
        if self.op.lod == "grad" and self.linear and self.axes == 2 and self.anisotropy() > 1:
            return self.anisotropic(coords, plane), self.resident
        levels = self.levels()
        if len(levels) == 1 and not self.linear:
            codes = self.point(levels[0][0], plane, coords)
            return self.single(codes), self.resident
        groups = []
        for level, share in levels:
            if self.linear:
                groups += self.footprint(level, plane, coords, share)
            else:
                groups.append([(share, self.point(level, plane, coords))])
        return self.sum(groups), self.resident

    # -- texels --

    def read(self, level, plane, sample, at):
        if self.t.missing and self.t.missing(level, plane, at):
            self.resident = False
        return self.t.texel(level, plane, sample, *at)

    def border(self):
        words = self.s.get("border", [0] * 4)
        return [border_code(k, b, w) for (k, b), w in zip(self.kinds, words)]

    def single(self, codes):
        if self.compared():
            return [F32_ONE if self.passes(codes[0]) else 0] * 4
        return [point_value(k, b, c) for (k, b), c in zip(self.kinds, codes)]

    def sum(self, groups):
        if self.compared():
            total = sum(w for g in groups for w, codes in g if w and self.passes(codes[0]))
            return [f32(F(total, 256))] * 4
        return [
            blend(k, b, [[(w, codes[i]) for w, codes in g if w] for g in groups])
            for i, (k, b) in enumerate(self.kinds)
        ]

    # -- anisotropic gradients: rule 4.12 --

    def anisotropy(self):
        """The largest ratio of lengths. Open: there are these; others count as the next lower one."""
        most = self.s.get("max_anisotropy", 1)
        return max(step for step in (1, 2, 4, 6, 8, 10, 12, 16) if step <= max(most, 1))

    def anisotropic(self, coords, plane):
        gradients, most = gradient_rows(self.t, self.op, self.o), self.anisotropy()
        if gradients is None:
            return self.tapped(BIG, 1, (0, 0), coords, plane)
        x, y, _ = gradients
        longer, major = max(((length(v), v) for v in (x, y)), key=lambda pair: pair[0])
        if longer == 0:
            return self.tapped(-BIG, 1, (0, 0), coords, plane)
        area = abs(x[0] * y[1] - x[1] * y[0])
        # Pmax / Pmin = Pmax^2 / |det|.
        ratio = min(longer**2 / area, most) if area else F(most)
        ratio = max(ratio, F(1))
        q = log2_256(cut10(longer / ratio))
        # The same in logarithms: where the two differ, the last digit is open.
        log, limit = log2_256(longer), log2_256(F(most))
        same = log - (max(min(2 * log - log2_256(cut10(area)), limit), 0) if area else limit)
        return self.tapped(q, ratio, [c / longer for c in major], coords, plane, q == same)

    def tapped(self, q, ratio, direction, coords, plane, exact=True):
        """The sum of the taps: of a level `q`, for a ratio of lengths, along a direction."""
        fine, bias = self.s.get("mip_filter") == "linear", to_256(self.s.get("bias", 0))
        last = 256 * ((self.t.levels or 1) - 1)
        level = lambda q: self.clamped_levels(q, last) if self.t.levels else [(0, 256)]
        if abs(q) == BIG:
            levels = level(q)
        elif fine:
            if not exact:
                raise ValueError("the last digit of the level is open")
            levels = level(self.sharpened(q, self.s["max_anisotropy"]))
        else:
            levels = level(q + bias)
            if not exact and any(level(q + bias + e) != levels for e in range(-4, 5)):
                raise ValueError("the last digit of the level is open")
        count = 1 if ratio == 1 else min(2 * ceil(ratio / 2), self.anisotropy())
        weights, ways = [1 / F(ratio)] * count, [F(2 * k - count + 1, 2) for k in range(count)]
        if count > 1:
            weights[0] = weights[-1] = (1 - sum(weights[1:-1])) / 2
        known = count == 1 or ratio > 2 and is_power(ratio) and 0 in direction
        total, values = [F(0)] * len(self.kinds), set()
        for weight, way in zip(weights, ways):
            for level, share in levels:
                for group in self.footprint(level, plane, coords, share, [c * way for c in direction]):
                    for w, codes in group:
                        values.add((level, tuple(codes)))
                        for i, (kind, bits) in enumerate(self.kinds):
                            if self.compared():
                                total[i] += weight * w * self.passes(codes[0])
                            elif kind in ("f32", "none"):
                                total[i] += weight * w * (number(codes[i]) if kind == "f32" else 0)
                            else:
                                raise ValueError("how taps of other formats are rounded is open")
        if not known and len(values) > len(levels):
            raise ValueError("the last digits of weights and places of taps are open")
        words = [f32(v / 256) for v in total]
        return [words[0]] * 4 if self.compared() else words

    # -- depth compare: rules 9.1 to 9.3 --

    def compared(self):
        return self.op.compare and self.s.get("compare")

    def passes(self, code):
        kind, bits = self.kinds[0]
        texel, ref = float_of(point_value(kind, bits, code)), float_of(self.o["compare"])
        function = self.s["compare"]
        if NAN in (texel[1], ref[1]):
            return function in ("not_equal", "always")
        big = F(2) ** 200
        r, t = [(-1 if s else 1) * (big if v == INF else v) for s, v in (ref, texel)]
        return {"never": False, "less": r < t, "equal": r == t, "less_equal": r <= t,
                "greater": r > t, "not_equal": r != t, "greater_equal": r >= t, "always": True}[function]

    # -- levels: section 3 --

    def levels(self):
        """[(level, share of 256)]."""
        if self.t.levels is None:
            return [(0, 256)]
        s, last = self.s, 256 * (self.t.levels - 1)
        fine = s.get("mip_filter") == "linear"
        sharpness = s.get("max_anisotropy", 0) if fine else 0
        q = 0
        if self.op.lod == "level":
            q = to_256(self.o["lod"], nan=0)
            if sharpness >= 2:
                return self.clamped_levels(self.sharpened(q, sharpness), last)
            q += to_256(s.get("bias", 0))
        elif self.op.lod == "grad":
            q = gradient_level(self.t, self.op, self.o)
            if q not in (INF, -BIG):
                q += to_256(s.get("bias", 0))
        return self.clamped_levels(BIG if q == INF else q, last)

    def sharpened(self, q, a):
        """Rule 3.6."""
        lo, rate = (F(128, 3), F(3, 2)) if a < 4 else (F(384, 7), F(7, 4)) if a < 8 else (F(64), F(2))
        bias = number(self.s.get("bias", 0)) * 256
        t = q + trunc(bias - lo) + trunc(lo)
        level, k = t >> 8, t & 255
        weight = 0 if k <= trunc(lo) else min(256, floor(rate * (k - trunc(lo))))
        return 256 * level + weight

    def clamped_levels(self, q, last, mip_filter=None):
        mn, mx = to_256(self.s.get("min", 0)), to_256(self.s.get("max", 0x7F800000))
        q = min(max(q, mn), max(mn, mx))
        q = min(max(q, 0), last)
        if (mip_filter or self.s.get("mip_filter")) != "linear":
            return [((q + 128) >> 8, 256)]
        low, share = q >> 8, q & 255
        return [(low, 256 - share), (low + 1, share)] if share else [(low, 256)]

    # -- footprints --

    def point(self, level, plane, coords):
        """Rule 1.5, 1.7."""
        n, at = self.t.level_size(level), [0, 0, 0]
        extra = offsets(self.op, self.o["offset"]) if self.op.offset else [0, 0, 0]
        outside = False
        for axis in range(self.axes):
            mode = self.modes[axis]
            # Rule 7.6.
            if self.cube and self.t.levels is None:
                mode = "clamp"
            u = in_texels(coords[axis], n[axis], self.normalized)
            # 1.7 clamp_ogl: a point at n reads the last texel.
            mode = "clamp" if mode == "clamp_ogl" else mode
            k = address(saturated(floor(u)) + extra[axis], n[axis], mode)
            outside |= k is None
            at[axis] = k
        if self.op.geometry == "1d" and self.op.offset and extra[1]:
            outside |= self.modes[1] == "border"
        return self.border() if outside else self.read(level, plane, 0, at)

    def footprint(self, level, plane, coords, share, shift=(0, 0, 0)):
        """Weights of section 2, as groups of a slice each; `shift` is the way of a tap, in texels."""
        n = self.t.level_size(level)
        extra = offsets(self.op, self.o["offset"]) if self.op.offset else [0, 0, 0]
        find, axes = [(0, 0)] * 3, self.axes
        for axis in range(axes):
            u = in_texels(coords[axis], n[axis], self.normalized) + extra[axis]
            u += shift[axis] if axis < len(shift) else 0
            find[axis] = neighbours(u, n[axis], self.mode_of(axis))
        if self.op.geometry == "1d":
            # A 2D texture of height 1, at y = 0.
            row = F(extra[1] if self.op.offset else 0)
            find[1], axes = neighbours(row, 1, self.mode_of(1)), 2
        groups = []
        for dz, wz in enumerate(split(share, find[2][1], False) if axes > 2 else (share,)):
            group = []
            for dx, wx in enumerate(split(wz, find[0][1], True)):
                rows = split(wx, find[1][1], dx == 1) if axes > 1 else (wx,)
                for dy, w in enumerate(rows):
                    if w:
                        at = [find[0][0] + dx, find[1][0] + dy, find[2][0] + dz]
                        group.append((w, self.texel_at(level, plane, at, n)))
            groups.append(group)
        return groups

    def mode_of(self, axis):
        if self.cube and self.s.get("seamless_cube"):
            return "seamless"
        return self.modes[axis]

    def texel_at(self, level, plane, at, n, gather=False):
        """A texel of a footprint, or the border colour. Rule 8.7: a gather stays inside the face."""
        at = list(at)
        if self.cube and self.s.get("seamless_cube") and not gather:
            return self.seamless(level, plane, at, n[0])
        row = 1 if self.op.geometry == "1d" else 0
        for axis in range(max(self.axes, 1 + row)):
            mode = self.modes[axis]
            at[axis] = address(at[axis], n[axis], "border" if mode == "clamp_ogl" else mode)
            if at[axis] is None:
                return self.border()
        return self.read(level, plane, 0, at)

    def seamless(self, level, plane, at, n):
        """Rule 7.7. Open: the missing texel is the code next to the mean of the other three."""
        outside = [axis for axis in (0, 1) if not 0 <= at[axis] < n]
        cube, home = divmod(plane, 6)

        def texel(at):
            face, at = (home, at) if all(0 <= k < n for k in at[:2]) else fold(home, at, n)
            return self.read(level, 6 * cube + face, 0, [at[0], at[1], 0])

        if len(outside) < 2:
            return texel(at)
        inside = [min(max(k, 0), n - 1) for k in at[:2]]
        three = [texel(inside), texel([at[0], inside[1]]), texel([inside[0], at[1]])]
        return [corner_code(k, b, [codes[i] for codes in three]) for i, (k, b) in enumerate(self.kinds)]

    # -- integer coordinates: rules 1.9, 9.5, 9.6 --

    def integer(self, coords):
        sample = plane = level = 0
        if self.op.geometry in ("2dms", "a2dms"):
            sample = min(coords.pop(0), self.t.samples - 1)
        if self.op.geometry in ("a1d", "a2d", "a2dms"):
            plane = min(coords.pop(0), self.t.layers - 1)
        if self.t.levels is not None:
            # Rules 1.9 levels, 3.2, 3.3: the level itself, clamped, and no blend.
            wanted = 256 * low_bits(self.o["lod"], 32) if self.op.lod == "level" else 0
            clamped = self.clamped_levels(wanted, 256 * (self.t.levels - 1), "point")
            level = clamped[0][0]
        n, at = self.t.level_size(level), [0, 0, 0]
        for axis in range(self.axes):
            at[axis] = low_bits(coords[axis], 32)
            if self.op.offset:
                extra = offsets(self.op, self.o["offset"])
                at[axis] += extra[axis]
                # 1.4 1D: the row has left the texture.
                if self.op.geometry == "1d" and extra[1]:
                    return [0] * 4
            if not 0 <= at[axis] < n[axis]:
                return [0] * 4
        return self.single(self.read(level, plane, sample, at))

    # -- gather: section 8 --

    def gather(self, coords, plane):
        n = self.t.level_size(0)
        extra = offsets(self.op, self.o["offset"]) if self.op.offset else [0, 0]
        component = self.op.gather - 1
        find = []
        for axis in (0, 1):
            u = in_texels(coords[axis], n[axis], self.normalized) + extra[axis]
            mode = self.modes[axis]
            find.append(neighbours(u, n[axis], "wrap" if mode == "clamp" else mode)[0])
        words = []
        for dx, dy in ((0, 1), (1, 1), (1, 0), (0, 0)):
            codes = self.texel_at(0, plane, [find[0] + dx, find[1] + dy, 0], n, gather=True)
            if component >= len(self.kinds):
                words.append(0)
                continue
            kind, bits = self.kinds[component]
            words.append(gathered(kind, bits, codes[component]))
        return words


F32_ONE = 0x3F800000


def corner_code(kind, bits, codes):
    """Rule 7.7 (open: the rounding): the code next to the mean of three; of sRGB by what codes stand for."""
    if kind == "none":
        return 0
    if kind == "srgb":
        mean = F(sum(SRGB[c] for c in codes), 3)
        near = sorted(range(256), key=lambda c: abs(SRGB[c] - mean))
        if abs(SRGB[near[0]] - mean) == abs(SRGB[near[1]] - mean):
            raise ValueError("two codes are as near")
        return near[0]
    if kind in ("f32", "f16"):
        values = [(float_of if kind == "f32" else half_of)(c) for c in codes]
        if any(v in (INF, NAN) for _, v in values):
            raise ValueError("the mean of what is no number is open")
        mean = sum(-v if s else v for s, v in values) / 3
        return f32(mean) if kind == "f32" else f16_bits(mean)
    mean = F(sum(signed(c, bits) if kind == "snorm" else c for c in codes), 3)
    return floor(mean + F(1, 2)) & (1 << bits) - 1


def gathered(kind, bits, code):
    """Rules 8.3, 8.4."""
    if kind == "snorm" and bits == 8:
        return snorm8(256 * signed(code, 8))
    if kind == "unorm" and bits == 10:
        # Open: in 16 bits, as the linear filter has it.
        return f32(F(widened16(code, 10), 65535))
    word = point_value(kind, bits, code)
    if kind == "f32" and word & 0x7F800000 == 0:
        return word & 0x80000000
    if kind in ("f32", "f16") and float_of(word)[1] == NAN:
        return 0x7FFFFFFF if kind == "f32" else 0x7FFFE000
    return word


def trunc(value):
    return floor(value) if value >= 0 else -floor(-value)


def to_256(word, nan=0):
    """A float in 1/256, cut; infinities are far away."""
    sign, value = float_of(word)
    if value == NAN:
        return nan
    far = 2**40
    cut = far if value == INF else min(trunc(value * 256), far)
    return -cut if sign else cut


# ---- Cubes: section 7 ----

# face -> (major axis, its sign, (axis, sign) of sc, of tc)
FACES = [
    (0, 1, (2, -1), (1, -1)), (0, -1, (2, 1), (1, -1)), (1, 1, (0, 1), (2, 1)),
    (1, -1, (0, 1), (2, -1)), (2, 1, (0, 1), (1, -1)), (2, -1, (0, -1), (1, -1)),
]


def face_of(words):
    """Face, and its two coordinates as f32 bits."""
    values = [float_of(w) for w in words]
    if any(v in (INF, NAN) for _, v in values):
        raise ValueError("infinite and NaN directions are open")
    axis = 2
    for other in (1, 0):
        if values[other][1] > values[axis][1]:
            axis = other
    sign, major = values[axis]
    if major == 0:
        return 4, [0x7FC00000, 0x7FC00000]
    # A major axis of -0 counts as positive: it cannot be the largest of others.
    face = 2 * axis + sign
    coords = []
    for which, direction in FACES[face][2:]:
        component = number(words[which]) * direction
        q = number(f32(component / major))
        coords.append(f32(number(f32(q + 1)) / 2))
    return face, coords


def fold(face, at, n):
    """The texel of a neighbouring face that continues this one past an edge."""
    axis, sign, (s_axis, s_sign), (t_axis, t_sign) = FACES[face]
    s, t = [F(2 * i + 1, n) - 1 for i in at[:2]]
    major = F(1)
    if abs(s) > 1:
        s, major = F(1 if s > 0 else -1), 1 - (abs(s) - 1)
    else:
        t, major = F(1 if t > 0 else -1), 1 - (abs(t) - 1)
    point = [F(0)] * 3
    point[axis], point[s_axis], point[t_axis] = major * sign, s * s_sign, t * t_sign
    axis = max(range(3), key=lambda a: abs(point[a]))
    other = 2 * axis + (point[axis] < 0)
    _, _, (s_axis, s_sign), (t_axis, t_sign) = FACES[other]
    back = [point[s_axis] * s_sign, point[t_axis] * t_sign]
    return other, [floor((c + 1) / 2 * n) for c in back]


# ---- Gradients: section 4 ----


def cut10(value):
    return rounded(F(value), 10, -10000, "cut")


def parts10(value):
    """Significand 512..1023 and exponent of a positive 10-bit number: sig * 2^exp."""
    e = ilogb(value) - 9
    return int(value / F(2) ** e), e


def scaled(value, n):
    """Rule 4.2: a 10-bit component times the size."""
    value = cut10(value)
    if value == 0 or n & (n - 1) == 0:
        return value * n
    sig, e = parts10(abs(value))
    top = n.bit_length() - 1
    exponent = e + 9 + top
    acc = sig << 3
    for i in range(9):
        if top - 1 - i >= 0 and n >> (top - 1 - i) & 1:
            acc += (sig << 3) >> (i + 1)
    if acc < 2**13:
        product = ((acc + 7) >> 3) * F(2) ** (exponent - 9)
    else:
        product = ((acc + 7) >> 4) * F(2) ** (exponent - 8)
    return product if value > 0 else -product


def part(value, factor, shift):
    """rhu(factor * M / 8) * 2^(k - shift) of a 10-bit number M * 2^k (8: or 64)."""
    if value == 0:
        return F(0)
    m, k = parts10(value)
    return rhu(F(factor * m)) * F(2) ** (k + shift)


def length(values):
    """Rule 4.3, 4.10."""
    a, b, *c = sorted((abs(v) for v in values), reverse=True)
    if not c:
        return cut10(a + part(b, F(11, 8), -2))
    p = cut10(part(b, F(11, 8), -2))
    q = F(0)
    if p:
        grid = F(2) ** (ilogb(p) - 9)
        q = floor(c[0] / 4 / grid) * grid
    return cut10(a + p + q)


def diagonal(values):
    """Rule 4.4, 4.10."""
    a, b, *c = sorted((abs(v) for v in values), reverse=True)
    ta, tb = cut10(part(a, F(11, 8), -1)), part(b, F(121, 64), -3)
    if not c:
        return cut10(ta + tb)
    tb = cut10(tb)
    tc = F(0)
    if c[0]:
        tc = part(c[0], F(11, 8), -3)
        if tb:
            grid = F(2) ** (ilogb(tb) - 9)
            tc = floor(tc / grid) * grid
    return cut10(ta + tb + tc)


def added(a, b):
    """Rule 4.5."""
    if a == 0 or b == 0:
        return a + b
    big, small = (a, b) if abs(a) >= abs(b) else (b, a)
    grid = F(2) ** (ilogb(abs(big)) - 10)
    return big + trunc(small / grid) * grid


def is_power(value):
    """Whether a positive fraction is a power of two."""
    return value == F(2) ** ilogb(value)


def log2_256(value):
    """Rule 4.7, of a positive 10-bit number."""
    e = ilogb(value)
    return 256 * e + LOG2_256[floor((value / F(2) ** e - 1) * 256)]


def unfolded(home, words):
    """Rule 4.11: a direction on the plane of a face, -1 to 1 inside it. None: it is on the opposite face."""
    values = [number(w) for w in words]
    if not any(values):
        raise ValueError("what has no direction is open")
    face, _ = face_of(words)
    axis, sign = FACES[home][:2]
    there, there_sign = FACES[face][:2]
    point = [v / abs(values[there]) for v in values]
    if there == axis and face != home:
        return None
    if face != home:
        # Behind the edge, as far as it has come away from it.
        point[there] = there_sign * (2 - sign * point[axis])
    return face, [point[a] * d for a, d in FACES[home][2:]]


def cube_rows(texture, op, o):
    """Gradients on the face of P, and whether all three are on it."""
    point = o["coords"][-3:]
    step = lambda d: [f32(number(p) + number(c)) for p, c in zip(point, d)]
    if any(float_of(w)[1] in (INF, NAN) for d in (point, o["dpdx"], o["dpdy"]) for w in d):
        raise ValueError("infinite and NaN directions are open")
    home = face_of(point)[0]
    start, n = unfolded(home, point), texture.size[0]
    rows, alone = [], True
    for d in (o["dpdx"], o["dpdy"]):
        end = unfolded(home, step(d))
        if end is None:
            return None
        alone = alone and end[0] == home
        rows.append([scaled((b - a) / 2, n) for a, b in zip(start[1], end[1])])
    return rows[0], rows[1], alone


def gradient_rows(texture, op, o):
    """dPdx and dPdy in texels of the base level, and whether diagonals count; None for the last level."""
    sizes = texture.size
    if op.geometry in ("cube", "acube"):
        return cube_rows(texture, op, o)
    if op.geometry == "3d":
        rows = []
        for d in (o["dpdx"], o["dpdy"]):
            row = [quad(p, c) for p, c in zip(o["coords"], d)]
            if INF in row:
                return None
            rows.append([scaled(v, n) for v, n in zip(row, sizes)])
    else:
        rows = []
        for d in (o["dpdx"], o["dpdy"]):
            row = []
            for word, n in zip(d, sizes):
                sign, value = float_of(word)
                if value == INF:
                    return None
                value = F(0) if value == NAN else value
                row.append(scaled(-value if sign else value, n))
            rows.append(row + [F(0)] * (2 - len(row)))
    return rows[0], rows[1], True


def gradient_level(texture, op, o):
    """q before bias and clamps; INF for the last level."""
    gradients = gradient_rows(texture, op, o)
    if gradients is None:
        return INF
    x, y, diagonals = gradients
    rho = max(length(x), length(y))
    if diagonals:
        rho = max(rho, diagonal([added(a, b) for a, b in zip(x, y)]), diagonal([added(a, -b) for a, b in zip(x, y)]))
    return log2_256(rho) if rho else -BIG


def quad(p, d):
    """Rule 4.9: the difference that the unit takes along an axis."""
    corners = []
    (ps, pv), (ds, dv) = float_of(p), float_of(d)
    for word in (p, None):
        if word is None:
            if NAN in (pv, dv) or pv == INF and dv == INF and ps != ds:
                sign, value = 0, NAN
            elif INF in (pv, dv):
                sign, value = (ps if pv == INF else ds), INF
            else:
                sign, value = float_of(f32(number(p) + number(d)))
        else:
            sign, value = ps, pv
        if value == NAN:
            value = F(0)
        if value == INF or value >= F(2) ** 97:
            return INF
        corners.append(-value if sign else value)
    return corners[1] - corners[0]


# ---- Surfaces: section 10 ----


class Surface:
    """Bytes of one level: rows, slices, layers."""

    def __init__(self, format, geometry, width, height, depth, layers, memory):
        self.format, self.geometry, self.memory = format, geometry, memory
        self.texel = sum(bits for _, bits, _ in channels(format)) // 8 if format != "rgb10a2" else 4
        self.row, self.height, self.depth, self.layers = width * self.texel, height, depth, layers

    def place(self, clamp, layer, x, y, z, size):
        """Offset of an access of `size` bytes; None if it is dropped; or the name of its fault."""
        if x % size:
            return "misaligned"
        inside = 0 <= x <= self.row - size and 0 <= y < self.height and 0 <= z < self.depth and layer < self.layers
        if not inside and clamp == "zero":
            return None
        if not inside and (clamp == "trap" or self.row < size):
            return "outside"
        x = min(max(x, 0), (self.row - size) // size * size)
        y, z, layer = min(max(y, 0), self.height - 1), min(max(z, 0), self.depth - 1), min(layer, self.layers - 1)
        return ((layer * self.depth + z) * self.height + y) * self.row + x


def store_code(kind, bits, word):
    """Rules 10.7, 10.8: a word of sust.p as the bits of a channel."""
    if kind in ("uint", "sint"):
        low, high = (0, 2**bits - 1) if kind == "uint" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return min(max(word if kind == "uint" else low_bits(word, 32), low), high) & (2**bits - 1)
    if kind in ("f32", "f16"):
        return border_code(kind, bits, word)
    sign, value = float_of(word)
    if value == NAN:
        raise ValueError("open")
    limit = 2 ** (bits - 1) - 1 if kind == "snorm" else 2**bits - 1
    value = F(0) if sign and kind == "unorm" else min(F(1) if value == INF else value, F(1)) * limit
    if (value - F(1, 2)).denominator == 1:
        raise ValueError("open")
    return (-rhu(value) if sign else rhu(value)) & (2**bits - 1)


def reduced(op, old, new, bits, is_signed):
    if is_signed:
        old, new = low_bits(old, bits), low_bits(new, bits)
    result = {"add": old + new, "min": min(old, new), "max": max(old, new), "and": old & new, "or": old | new}[op]
    return result & (2**bits - 1)


def access(surface, op, coords, value):
    """What an access loads (hex of bytes, or a fault), after its effect on the memory."""
    parts = op.split(".")
    name, formatted, clamp = parts[0], parts[1] == "p", parts[-1]
    operation = parts.pop(2) if name == "sured" else None
    geometry, ty = parts[2], parts[-2]
    count = {"v2": 2, "v4": 4}.get(parts[3], 1)
    # Rule 10.10: a plain surface has one layer.
    if geometry not in (surface.geometry, {"1d": "a1d", "2d": "a2d"}.get(surface.geometry)):
        raise TypeError(f"{op} does not reach a surface of {surface.geometry}")
    layer = coords.pop(0) & 0xFFFFFFFF if geometry in ("a1d", "a2d") else 0
    x, y, z = coords + [0] * (3 - len(coords))
    size = count * int(ty[1:]) // 8
    unit = 1
    if formatted:
        size = surface.texel if name == "sust" else size
        unit = size
    at = surface.place(clamp, layer, x * unit, y, z, size)
    if isinstance(at, str):
        return at
    if name == "suld":
        return surface.memory[at : at + size].hex() if at is not None else "00" * size
    if at is None:
        return ""
    if name == "sured":
        old = int.from_bytes(surface.memory[at : at + size], "little")
        is_signed = surface.format[0] == "s" if formatted else ty[0] == "s"
        new = reduced(operation, old, int(value, 16), 8 * size, is_signed).to_bytes(size, "little")
    elif formatted:
        words, bits_so_far, texel = [int(value[i : i + 8], 16) for i in range(0, len(value), 8)], 0, 0
        for i, (element, bits, normalized) in enumerate(channels(surface.format)):
            word = words[i] if i < len(words) else 0
            texel |= store_code(element or normalized, bits, word) << bits_so_far
            bits_so_far += bits
        new = texel.to_bytes(size, "little")
    else:
        new = bytes.fromhex(value)
    surface.memory[at : at + size] = new
    return ""


def check_surface(case, r):
    width, height, depth = size_of(r)
    digits = channels(r["format"])[0][1] // 4 if r["format"] != "rgb10a2" else 8
    text = r["texels"]["codes"][0]
    codes = [text[i : i + digits] for i in range(0, len(text), digits)]
    memory = bytearray(b"".join(bytes.fromhex(c)[::-1] for c in codes))
    surface = Surface(r["format"], r["geometry"], width, height, depth, r.get("layers", 1), memory)
    bad = 0
    accesses, values = case["accesses"].split(), case["values"].split()
    for a, value in zip(accesses, values):
        there = value if value in ("outside", "misaligned") or case["op"].startswith("suld") else ""
        here = access(surface, case["op"], [int(c) for c in a.split(",")], value if value[0] not in "om" else "0")
        if here != there:
            bad += 1
            print(f"{case['name']}: {case['op']} at {a}: there {there}, here {here}")
    if memory.hex() != case["after"]:
        bad += 1
        print(f"{case['name']}: {case['op']}: the memory is not the same afterwards; {r['format']} {size_of(r)}")
    return bad, len(accesses)


# ---- Check against the published vectors ----


def published_texels(data):
    """levels_rule of the hardware vectors."""
    import convert

    state, levels = int(convert.WORD.search(data["levels_rule"])[1]), []
    size = data["size"] + [1] * (3 - len(data["size"]))
    for level in range(max(size).bit_length()):
        texels = []
        for _ in range(max(1, size[0] >> level) * max(1, size[1] >> level) * max(1, size[2] >> level)):
            state = (state * 1664525 + 1013904223) % 2**32
            texels.append([f32(F(state >> 8 & 0xFFFF, 64) + 1000 * level)])
        levels.append(texels)
    return levels


def texture_of(data):
    import convert

    name, channel, count, mode, srgb = convert.split_format(data["format"])
    s = data["sampler"]
    size = data["size"] + [1] * (3 - len(data["size"]))
    if "levels_rule" in data:
        levels = published_texels(data)
    else:
        n = count if channel else 1
        levels = [[[int(t, 16) for t in level[i : i + n]] for i in range(0, len(level), n)] for level in data["levels"]]
    if name == "rgb10a2":
        levels = [[[t[0] & 1023, t[0] >> 10 & 1023, t[0] >> 20 & 1023, t[0] >> 30] for t in level] for level in levels]
    mipmapped = s["mip_filter"] != "none"

    def texel(level, plane, sample, x, y, z):
        w, h, d = (max(1, n >> level) for n in size)
        return levels[level][((plane * d + z) * h + y) * w + x]

    texture = Texture(name, data["geometry"], data["size"], texel, layers=data.get("layers") or 1,
                      levels=len(levels) if mipmapped else None, read=mode, normalized=s["normalized"])
    word = lambda v: int(v, 16) if isinstance(v, str) else f(v)
    sampler = {
        "filter": s["filter"], "mip_filter": s["mip_filter"], "border": [word(b) for b in s["border"]],
        "address": [s["address"]] if isinstance(s["address"], str) else s["address"],
        "bias": word(s["bias"]), "min": word(s["min_lod"]), "max": word(s["max_lod"]),
        "max_anisotropy": s["max_anisotropy"], "srgb": srgb,
    }
    return texture, sampler


def check_file(data, step):
    texture, sampler = texture_of(data)
    name = f"{data['op']}.{data['geometry']}.v4.{data.get('dtype', 'f32')}.{data.get('ctype', 'f32')}"
    op = Op(name, offset=data.get("offset") is not None)
    per = data.get("values_per_fetch", len(data["expected"]) // len(data["coords"]))
    bad, seen = 0, 0
    for i in range(0, len(data["coords"]), step):
        row = lambda key: [int(w, 16) for w in data[key][i]] if key in data else None
        o = {"coords": row("coords"), "dpdx": row("dpdx"), "dpdy": row("dpdy"), "offset": data.get("offset")}
        if "lod" in data:
            o["lod"] = int(data["lod"][i], 16)
        words, _ = fetch(texture, sampler, op, o)
        expected = [int(w, 16) for w in data["expected"][i * per : i * per + per]]
        seen += 1
        if words[:per] != expected:
            bad += 1
            if bad == 1:
                show = lambda ws: " ".join(f"{w:08x}" for w in ws)
                print(f"{data['name']}: fetch {i} {o}: expected {show(expected)}, got {show(words)}")
    return bad, seen


def check_case_file(path):
    """Cases in the format of this folder: texels as hex, one resource a case."""
    import tomllib

    with open(path, "rb") as source:
        data = tomllib.load(source)
    resources = {r["name"]: r for r in data["resource"]}
    bad = seen = left_out = 0
    for case in data["fetch"]:
        try:
            wrong, fetches = check_case(case, resources[case["resource"]])
        except NotHere:
            left_out += 1
            continue
        bad, seen = bad + wrong, seen + fetches
    for case in data.get("surface", []):
        try:
            wrong, accesses = check_surface(case, resources[case["resource"]])
        except ValueError:
            left_out += 1
            continue
        bad, seen = bad + wrong, seen + accesses
    print(f"{seen} fetches and accesses checked, {bad} differ, {left_out} cases are about other rules")


class NotHere(Exception):
    """A rule that this file has not got."""


def words_of(text, digits=8):
    return [int(text[i : i + digits], 16) for i in range(0, len(text), digits)]


AXES_OF = {"1d": 1, "a1d": 1, "3d": 3}
SAMPLER_KEYS = {"filter_mode": "filter", "mipmap_filter_mode": "mip_filter", "address_mode": "address", "border_color": "border",
                "mipmap_level_bias": "bias", "min_mipmap_level_clamp": "min", "max_mipmap_level_clamp": "max",
                "seamless_cubemap": "seamless_cube", "force_unnormalized_coords": "force_unnormalized"}


def size_of(r):
    return [r.get(key, 1) for key in ("width", "height", "depth")]


def case_texture(case, r):
    if r["format"].startswith(("bc", "depth24")):
        raise NotHere
    size = size_of(r)
    kinds_of = channels(r["format"])
    packed = r["format"] == "rgb10a2"
    count = 1 if packed else len(kinds_of)
    digits = 8 if packed else kinds_of[0][1] // 4
    levels = [words_of(level, digits) for level in r["texels"]["codes"]]
    samples = r.get("samples", 1)

    def texel(level, plane, sample, x, y, z):
        w, h, d = (max(1, n >> level) for n in size)
        at = ((((plane * samples + sample) * d + z) * h + y) * w + x) * count
        codes = levels[level][at : at + count]
        return [codes[0] & 1023, codes[0] >> 10 & 1023, codes[0] >> 20 & 1023, codes[0] >> 30] if packed else codes

    return Texture(r["format"], r["geometry"], size[: AXES_OF.get(r["geometry"], 2)], texel, layers=r.get("layers", 1), levels=r.get("levels"), samples=samples,
                   memory="layout" in r, read=case.get("read_mode", "element"), normalized=case.get("normalized_coords", False))


def case_sampler(case):
    given = case.get("sampler", {})
    word = lambda v: int(v, 16) if isinstance(v, str) else f(v)
    s = {SAMPLER_KEYS.get(key, key): value for key, value in given.items()}
    for name in ("bias", "min", "max"):
        if name in s:
            s[name] = word(s[name])
    if "border" in s:
        s["border"] = [word(v) for v in s["border"]]
    return s


def check_case(case, resource):
    op = Op(case["op"], offset="offset" in case or "offsets" in case, compare="compare" in case)
    texture, sampler = case_texture(case, resource), case_sampler(case)
    cube = op.geometry in ("cube", "acube")
    if op.gather and op.compare:
        raise NotHere
    rows = lambda key, n: [words_of(case[key])[i : i + n] for i in range(0, len(case[key]) // 8, n)] if key in case else None
    coordinates = {"1d": 1, "a1d": 2, "2d": 2, "a2d": 3, "3d": 3, "cube": 3, "acube": 4, "2dms": 3, "a2dms": 4}[op.geometry]
    gradients = 3 if cube else AXES.get(op.geometry, 2)
    coords, dpdx, dpdy = rows("coords", coordinates), rows("dpdx", gradients), rows("dpdy", gradients)
    lod, reference = rows("lod", 1), rows("compare", 1)
    per = case.get("components", 2 if op.result == "f16x2" else 4)
    expected, bad, seen = rows("expected", per), 0, 0
    for i, row in enumerate(coords):
        o = {"coords": row, "offset": case.get("offset")}
        for key, column in (("dpdx", dpdx), ("dpdy", dpdy)):
            o[key] = column and column[i]
        for key, column in (("lod", lod), ("compare", reference)):
            o[key] = column and column[i][0]
        try:
            words, resident = fetch(texture, sampler, op, o)
        except ValueError:
            continue  # An open rule.
        seen += 1
        if words[:per] != expected[i]:
            bad += 1
            if bad == 1:
                show = lambda ws: " ".join(f"{w:08x}" for w in ws)
                print(f"{case['name']}: {case['op']} fetch {i} {o}: there {show(expected[i])}, here {show(words)}; {resource['format']} {size_of(resource)} {sampler}")
    return bad, seen


def main(hardware, model, step="1"):
    import glob
    import gzip
    import json
    import os

    all_bad = all_seen = 0
    for folder in (hardware, model):
        for path in sorted(glob.glob(os.path.join(folder, "*.json.gz"))):
            with gzip.open(path) as source:
                data = json.load(source)
            if data["op"].startswith("su") or data["format"].startswith("bc"):
                continue
            bad, seen = check_file(data, int(step))
            all_bad, all_seen = all_bad + bad, all_seen + seen
    print(f"{all_seen} fetches checked, {all_bad} differ")


if __name__ == "__main__":
    import sys

    (check_case_file if len(sys.argv) == 2 else main)(*sys.argv[1:])
