#!/usr/bin/env python3
"""The rules of docs/numerics.md in exact arithmetic: one fetch or access at a time, in fractions.

Written from the text of the rules alone, without a look at the Rust code, so that the two can be
compared. Slow and plain. `rules.py FILE...` asks it about files of cases (.toml, .toml.gz): those of this folder, and
random ones that `cargo run -p texunit-cases --example record` has written. Where a rule is open, it does what the page says.
Not here: block-compressed formats.
"""

import struct
from fractions import Fraction as F
from math import floor, isqrt

# Rule 4.7: logarithms of 256 mantissas, in 1/256. Rule 5.1: sRGB decoded, in 1/65536. Rule 13.1: by segment, C0
# (7 digits), -C1 (4) and C2 (3).
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
RCP = (
    "4000000fffe3f53f80fe2fc0a3dd3f03f06f82d3c63e88cb5f4673b13e0f83ef0b639b3d980f8ed1b3863d22638e"
    "9953733cae75ae62235f3c3c3c4e2c334d3bcbadedf7733b3b5cc11dc3d3293aef6cbd9143173a83a85d5fd3063a"
    "196b4d2f72f639b0ad3d0012e63949662cd1b2d738e38e5ca442c7387f1e2c77c2b8381c0e2c4c32aa37ba572c21"
    "829d3759f23bf7b29036fad89bceb282369d037ba6927736406cab7f326a35e50d9b58925d358ae06b32c2523531"
    "deeb0da24634da036ae9423c3483486ac59231342da81aa2822533d91d5a80321c3385a2ba5e72113333335a3d62"
    "0732e1ca1a1cf1fe32916209fd11f53241f6b9ddc1ea31f38339bf11e231a60349a0f1da315972498351d1310dcc"
    "196641c930c30c5949b1c130792f192da1b9303030591211b12fe80c28f701aa2fa0bea8dc61a22f5a4438c2419c"
    "2f149928a881932ecfb9e88f418d2e8ba3187671862e4851185e017f2e05c0c84601792dc3ef082e71732d82d858"
    "17416e2d4279c80061662d02d047e9f1612cc3d8e7d3e15c2c8590d7be21552c47f527a8d1512c0b02e793c14b2b"
    "ceb7877f11462b9310776ab1402b580b0756b13c2b1da49742f1362ae3da972f81312aaaaac71c712e2a7212c709"
    "a1292a3a1006f711232a02a046e4d11f29cbc176d2e11b29957126c13117295fad66afc112292a73f69ea10f28f5"
    "c2b68db10a28c197b67d1107288df0e66ca102285acc665c8100282828564c90fb27f602a63ce0f827c459a62d60"
    "f327932b661e20f0276276460f20ed273238860050e927027055f1c0e726d31c15e350e226a43a15d520df2675c8"
    "d5c730de2647c6b5b960da261a3225abc0d625ed09a59e60d425c04bb59120d02593f6b58410cd256809857740cc"
    "253c82756a80c7251160455e00c524e6a19551b0c424bc45054580c1249249453970bd2468ad152d90ba243f6f35"
    "21e0b824168e351650b623ee09250af0b423c5de94ffb0b2239e0d74f490af237694a4e9a0ad234f72e4ded0ab23"
    "28a714d420a923023044c990a622dc0d34bf30a522b63ce4b4e0a12290be44aac0a0226b9044a0c09f2246b1f496"
    "d09b222222448d109a21fde04483709921d9eaf479e09621b641847080952192e2c4673093216fcdf45e0091214d"
    "024454f08f212a7e844c008f2108423443208c20e64c443a608a20c49bd431c08920a330142930872082084420c0"
    "85206123941870842040811410308320202034081082"
)
RCP = [[int(RCP[14 * i + a : 14 * i + b], 16) for a, b in ((0, 7), (7, 11), (11, 14))] for i in range(128)]

# ---- Floats as bits ----

INF, NAN = "inf", "nan"
# What an infinity counts as where numbers are compared; logarithms and levels below and above all others.
FAR, BIG = F(2) ** 200, 2**31


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
    """A float as a fraction; what is infinite is far away, a NaN 0."""
    sign, value = float_of(word)
    value = {INF: FAR, NAN: F(0)}.get(value, value)
    return -value if sign else value


def flushed(word):
    """The same, with subnormals as 0 (rule 1.1)."""
    return number(word) if word & 0x7F800000 else F(0)


def ilogb(value):
    """Exponent of a positive fraction."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if F(2) ** e <= value else e - 1


def trunc(value):
    return floor(value) if value >= 0 else -floor(-value)


def cut(value, e):
    """A fraction to a multiple of 2^e, toward zero."""
    return trunc(value / F(2) ** e) * F(2) ** e


def rhu(value):
    return floor(F(value) + F(1, 2))


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
    return struct.unpack("<I", struct.pack("<f", value))[0]


def single(value):
    """A Python float, rounded to f32."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def combined(a, b, product):
    """Product or sum of two f32, to nearest even, subnormals kept."""
    (sa, va), (sb, vb) = float_of(a), float_of(b)
    if NAN in (va, vb):
        return 0x7FFFFFFF
    if INF in (va, vb):
        bad = 0 in (va, vb) if product else va == vb and sa != sb
        sign = sa ^ sb if product else sa if va == INF else sb
        return 0x7FFFFFFF if bad else sign << 31 | 0x7F800000
    return f32(number(a) * number(b), sa ^ sb) if product else f32(number(a) + number(b), sa & sb)


def widen(code):
    """f16 to f32 bits, exactly; NaN payloads stay (2, point-sampled values)."""
    sign, value = half_of(code)
    if value == NAN or value == INF:
        return sign << 31 | 0x7F800000 | (code & 0x3FF) << 13
    return f32(-value if sign else value, sign)


def narrow(word):
    """Rule 2.6: a result as f16, to nearest even; a NaN becomes quiet."""
    sign, value = float_of(word)
    if value in (NAN, INF):
        return sign << 15 | 0x7C00 | (0x200 | word >> 13 & 0x3FF if value == NAN else 0)
    return f16_bits(-value if sign else value, sign)


def low_bits(e, bits):
    e &= 2**bits - 1
    return e - 2**bits if e >> (bits - 1) else e


# ---- Formats ----

# name -> kind of each channel when read as elements, bits, kind when read as normalized floats. What 10:10:10:2 has is
# widened to 16 bits when a texel is read.
PLAIN = {
    "u8": ("uint", 8, "unorm"), "s8": ("sint", 8, "snorm"), "u16": ("uint", 16, "unorm"),
    "s16": ("sint", 16, "snorm"), "u32": ("uint", 32, None), "s32": ("sint", 32, None),
    "f16": ("f16", 16, None), "f32": ("f32", 32, None),
    "unorm8": (None, 8, "unorm"), "unorm16": (None, 16, "unorm"), "snorm8": (None, 8, "snorm"),
    "snorm16": (None, 16, "snorm"), "depth16": ("unorm", 16, "unorm"), "depth24": ("unorm", 24, "unorm"),
    "depth32f": ("f32", 32, "f32"),
}


def channels(format_name):
    """[(element kind, bits, normalized kind)] of each channel."""
    if format_name == "rgb10a2":
        return [("unorm10", 16, None)] * 3 + [("unorm", 16, None)]
    name, _, count = format_name.partition("x")
    return [PLAIN[name]] * int(count or 1)


def kinds(texture, sampler):
    """(kind, bits) of each channel as this texture reads it."""
    found, every = [], channels(texture.format)
    for i, (element, bits, normalized) in enumerate(every):
        kind = normalized if texture.read == "normalized" else element
        # Section 5: 8-bit unorm; x, y, z of four channels, x of one or two.
        if sampler.get("srgb") and kind == "unorm" and bits == 8 and i < (3 if len(every) == 4 else 1):
            kind = "srgb"
        found.append((kind, bits))
    return found


def value_of(kind, bits, code):
    """A code of an integer kind as a number."""
    return low_bits(code, bits) if kind in ("sint", "snorm") else code


def point_value(kind, bits, code):
    """2, point-sampled values."""
    if kind in ("uint", "sint"):
        return value_of(kind, bits, code) & 0xFFFFFFFF
    if kind == "f32":
        return code
    if kind == "f16":
        return widen(code)
    if kind == "unorm10":
        return f32(F(code >> 6, 1023))
    if kind == "unorm":
        return f32(F(code, 2**bits - 1))
    if kind == "srgb":
        return f32(F(SRGB[code], 65536))
    limit = 2 ** (bits - 1) - 1
    return f32(F(max(low_bits(code, bits), -limit), limit))


def widened16(code, bits):
    """A unorm code to 16 bits by repeating its bits."""
    out, have = 0, 0
    while have < 16:
        out, have = out << bits | code, have + bits
    return out >> (have - 16)


def blend(kind, bits, batches, k=0):
    """2 and 4.12, sums: weights come to 256 * 2^k; a batch is what is added at a time, groups of (weight, code)."""
    if kind in ("f32", "f16", "srgb"):
        return adder(kind, batches, k)
    total = sum(w * (widened16(c, bits) if bits < 16 and kind == "unorm" else value_of(kind, bits, c))
                for batch in batches for group in batch for w, c in group)
    if kind in ("uint", "sint"):
        return (total >> 8 + k if bits == 32 else rhu(F(total, 2 ** (8 + k)))) & 0xFFFFFFFF
    if bits == 24:
        value = F(total, 2 ** (32 + k))
        return f32(rounded(value, 24, -149, "cut")) + 1 if total else 0
    if kind == "snorm" and bits == 8:
        return f32(F(max(((2048 * total >> k) + 257 * (total >> 4 + k) + 1024) >> 11, -32767), 32767))
    total = rhu(F(total, 2 ** (8 + k)))
    return f32(F(max(total, -32767), 32767) if kind == "snorm" else F(total, 65535))


# Bits below the exponent, what a code is, and the bits and the smallest place of the result.
ADDERS = {"f32": (27, float_of, 24, -149), "f16": (14, half_of, 11, -24), "srgb": (7, None, 11, -24)}


def adder(kind, batches, k):
    """Section 2, the adder; rules 2.1 to 2.5 and 5.2."""
    c, of, bits, least = ADDERS[kind]
    acc, unit, seen = F(0), None, []
    for batch in batches:
        parts, highest = [], unit
        for group in batch:
            texels = []
            for w, code in group:
                if kind == "srgb":
                    texels.append((w, F(SRGB[code], 65536), ilogb(F(SRGB[code | 7], 65536))))
                    continue
                sign, value = of(code)
                if value not in (INF, NAN) and (kind == "f16" or value >= F(2) ** -126):
                    texels.append((w, -value if sign else value, ilogb(value) if value else None))
                else:
                    value = value if value in (INF, NAN) else F(0)
                seen.append((sign, value))
            e = max((e for w, _, e in texels if w and e is not None), default=None)
            if e is not None:
                parts.append(sum(w * cut(v, e - c) for w, v, _ in texels if w))
                u = 4 * -(-e // 4) - c - 3 + k
                highest = u if highest is None else max(highest, u)
        if parts:
            unit, quantum = highest, F(2) ** highest
            acc = sum(floor(p / quantum) * quantum for p in [acc] + parts)
    values = {v for _, v in seen}
    infinite = {s for s, v in seen if v == INF}
    if NAN in values or len(infinite) == 2:
        return 0x7FFFFFFF if kind == "f32" else 0x7FFFE000
    if infinite:
        return infinite.pop() << 31 | 0x7F800000
    if seen and all(s and v == 0 for s, v in seen):
        return 0x80000000
    total = acc / 2 ** (8 + k)
    if kind != "f32":
        word = f32(rounded(total, bits, least, "away"), int(total < 0))
        return word if abs(number(word)) < 65536 else word & 0x80000000 | 0x7F800000
    word = f32(total, ties="away")
    return word & 0x80000000 if word & 0x7F800000 == 0 else word


def border_code(kind, bits, word):
    """Section 6 and rule 5.3."""
    sign, value = float_of(word)
    if kind == "f32":
        return word
    if kind in ("uint", "sint"):
        return word & (2**bits - 1)
    if kind == "f16":
        if value in (NAN, INF):
            return sign << 15 | 0x7C00 | ((word >> 13 & 0x3FF or 1) if value == NAN else 0)
        value = min(rounded(value, 11, -24, "cut"), F(65504))
        return f16_bits(-value if sign else value, sign)
    if value == NAN or (sign and kind != "snorm"):
        return 0
    value = F(1) if value == INF else min(value, F(1))
    if kind == "srgb":
        x = float(value)
        low, power = x < single(0.0031308), single(x ** single(0.41666))
        e = single(single(12.92) * x) if low else single(single(single(1.055) * power) - single(0.055))
        return round(single(255 * e))
    if bits == 24:
        return rhu(value * (2**24 - 1))
    m = bits - 1 if kind == "snorm" else bits
    code = (floor(value * 2 ** (m + 4)) * (2**m - 1) + 2 ** (m + 3) - 1) >> (m + 4)
    return (-code if sign else code) & (2**bits - 1)


# ---- From coordinate to texel ----


def in_texels(x, n, normalized, mode):
    """Rules 1.2, 1.3, 1.7 and 1.12: a coordinate in texels."""
    if not normalized:
        return x
    k = min(max(n.bit_length() + 7, 21), 23)
    x = F(floor(x * 2**k), 2**k)
    if mode in ("wrap", "mirror"):
        period = 1 if mode == "wrap" else 2
        x = x - period * floor(x / period) if abs(x) < F(2) ** 150 else F(0)
    return x * n


def neighbours(u, n, mode):
    """Rule 1.6: index and weight of the upper texel."""
    if mode == "clamp":
        u = max(min(u, n - F(1, 2)), F(1, 2))
    if mode == "clamp_ogl":
        u = max(min(u, F(n)), F(0))
    b = u - F(1, 2)
    i = floor(b)
    a = floor((b - i) * 256 + F(1, 2))
    return (i + 1, 0) if a == 256 else (i, a)


def address(k, n, mode):
    """Rule 1.7; None is the border colour."""
    if mode == "clamp":
        return min(max(k, 0), n - 1)
    if mode == "wrap":
        return k % n
    if mode == "mirror":
        return min(k % (2 * n), 2 * n - 1 - k % (2 * n))
    return k if 0 <= k < n else None


def split(total, a, upper):
    """Weights of the lower and upper part, and whether they are read; `upper` tells which one is rounded."""
    part = rhu(F(total * (a if upper else 256 - a), 256))
    both = (total - part, part) if upper else (part, total - part)
    return [(i, w) for i, w in enumerate(both) if i == 0 or a]


# ---- What is fetched from ----

DIGITS = {"u8": 2, "s8": 2, "u16": 4, "s16": 4, "f16": 4, "u32": 8, "s32": 8, "f32": 8, "unorm8": 2, "unorm16": 4, "snorm8": 2,
          "snorm16": 4, "rgb10a2": 8, "depth16": 4, "depth24": 8, "depth32f": 8}
AXES = {"1d": 1, "a1d": 1, "3d": 3}
CLASSES = {"1d": "plane", "2d": "plane", "a2d": "plane", "a1d": "line", "3d": "solid", "cube": "cube", "acube": "cube",
           "2dms": "samples", "a2dms": "samples"}


class NotHere(Exception):
    """What this file has no rule for."""


class Texture:
    """A resource by the keys of docs/resources.md, and how a texture reads it."""

    def __init__(self, r, read="element", normalized=False):
        view = r.get("view", {}) if r.get("layout", "array") == "array" else {}
        self.format, self.of = view.get("format", r["format"]), r["format"].partition("x")[0]
        if "bc" in self.format + self.of or DIGITS[self.format.partition("x")[0]] != DIGITS[self.of]:
            raise NotHere
        self.geometry, self.layout = view.get("geometry", r["geometry"]), r.get("layout", "array")
        self.own, self.cube = r["geometry"], "cube" in r["geometry"]
        size = [r["width"], r.get("height", r["width"] if self.cube else 1), r.get("depth", 1)]
        self.base, self.count, self.samples = size, 1 if self.of == "rgb10a2" else len(channels(r["format"])), r.get("samples", 1)
        range_of = lambda key, n: [view[key]] * 2 if isinstance(view.get(key), int) else view.get(key, [0, n - 1])
        self.array_levels, planes = r.get("levels") or 1, r.get("layers", 1) * (6 if self.cube else 1)
        (self.first_level, last), (self.first_plane, end) = range_of("levels", self.array_levels), range_of("layers", planes)
        self.levels, self.stored = last - self.first_level + 1 if r.get("levels") else None, self.array_levels
        if "level" in r:
            self.first_level, self.levels, self.array_levels = self.first_level + r["level"], None, 1
        self.layers = (end - self.first_plane + 1) // (6 if "cube" in self.geometry else 1)
        self.planes, self.texels, self.parsed = planes, r["texels"], {}
        self.missing = [(m.get("level", 0), m.get("layer", 0), *m["tile"][:2]) for m in r.get("nonresident", [])]
        self.read, self.normalized = read, normalized
        self.alone = "level" in r and self.geometry == self.own == "a2d" and "nonresident" not in r

    def gobs(self, level):
        """Columns of GOBs (64 bytes by 8 rows) of a level, the GOBs of a block, and all of the level."""
        w, h, _ = self.sized(level)
        columns, rows, high = -(-w * self.count * DIGITS[self.of] // 128), -(-h // 8), 1
        while high < min(rows, 16):
            high *= 2
        return columns, high, -(-rows // high) * high * columns

    def behind(self, level, plane, x, y):
        """Rule 1.11 level array: the texel where a layer would be if it followed the level; None in padding."""
        per, starts = 128 // DIGITS[self.of] // self.count, [0]
        for l in range(self.stored):
            starts.append(starts[-1] + self.gobs(l)[2])
        stride = -(-starts[-1] // self.gobs(0)[1]) * self.gobs(0)[1]
        columns, high, all_of = self.gobs(level)
        gob = starts[level] + plane * all_of + (y // 8 // high * columns + x // per) * high + y // 8 % high
        plane, gob = divmod(gob, stride)
        level = max(l for l in range(self.stored) if starts[l] <= gob)
        block, row = divmod(gob - starts[level], self.gobs(level)[1])
        row += block // self.gobs(level)[0] * self.gobs(level)[1]
        x, y = block % self.gobs(level)[0] * per + x % per, row * 8 + y % 8
        w, h, _ = self.sized(level)
        return (level, plane, x, y) if x < w and y < h else None

    def sized(self, level):
        return [max(1, n >> level) for n in self.base]

    def level_size(self, level):
        return self.sized(level + self.first_level)

    @property
    def size(self):
        return self.level_size(0)

    def words(self, level):
        """Codes of a level that are written out: digits, or bytes of memory."""
        if level not in self.parsed:
            digits = DIGITS[self.of]
            if "codes" in self.texels:
                self.parsed[level] = words_of(self.texels["codes"][level], digits)
            else:
                text, at = self.texels["bytes"].replace(" ", ""), self.before(level) * digits
                text = text[at : at + self.length(level) * digits]
                self.parsed[level] = [int(bytes.fromhex(text[i : i + digits])[::-1].hex(), 16) for i in range(0, len(text), digits)]
        return self.parsed[level]

    def length(self, level):
        w, h, d = self.sized(level)
        return w * h * d * self.planes * self.samples * self.count

    def before(self, level):
        return sum(self.length(l) for l in range(level))

    def code(self, level, at):
        """Channel `at` of a level, counted from its start."""
        (kind, value), = self.texels.items()
        if kind in ("codes", "bytes"):
            return self.words(level)[at]
        if kind == "fill":
            return words_of(value, DIGITS[self.of])[at % self.count]
        if kind == "published":
            return self.published(value, level)[at]
        number = value[0] + (level if kind == "by_level" else self.before(level) + at) * value[1]
        return {"f32": f32, "depth32f": f32, "f16": f16_bits}.get(self.of, lambda v: v % 16 ** DIGITS[self.of])(number)

    def published(self, state, level):
        """The generator of the published vectors."""
        if not self.parsed:
            for l in range(self.stored):
                self.parsed[l] = []
                for _ in range(self.length(l)):
                    state = (state * 1664525 + 1013904223) % 2**32
                    self.parsed[l].append(f((state >> 8 & 0xFFFF) / 64 + 1000 * l))
        return self.parsed[level]

    def texel(self, level, plane, sample, x, y, z):
        """Its channels, and whether it is there; tiles have 64 KiB."""
        level, plane = level + self.first_level, plane + self.first_plane
        if self.alone:
            found = self.behind(level, plane, x, y)
            if found is None:
                return [0] * (4 if self.of == "rgb10a2" else self.count), True
            level, plane, x, y = found
        w, h, d = self.sized(level)
        tile = {1: (256, 256), 2: (256, 128), 4: (128, 128)}.get(DIGITS[self.of] // 2 * self.count, (1, 1))
        there = (level, plane, x // tile[0], y // tile[1]) not in self.missing
        at = ((((plane * self.samples + sample) * d + z) * h + y) * w + x) * self.count
        codes = [self.code(level, at + c) if there else 0 for c in range(self.count)]
        if self.of == "depth24":
            codes = [codes[0] & 0xFFFFFF]
        if self.of == "rgb10a2":
            codes = [widened16(codes[0] >> i & (1023 if i < 30 else 3), 10 if i < 30 else 2) for i in (0, 10, 20, 30)]
        return codes, there


class Op:
    """An instruction by its name."""

    def __init__(self, name, offset=False, compare=False):
        parts = name.split(".")
        self.name, self.offset, self.compare = name, offset, compare
        self.gather = "rgba".index(parts.pop(1)) + 1 if parts[0] == "tld4" else 0
        self.lod = parts.pop(1) if parts[1] in ("base", "level", "grad") else None
        _, self.geometry, _, self.result, self.coord = parts


def sees(op, t):
    """Rule 1.13: whether a texture is of the instruction's class."""
    if op.coord == "s32" and op.geometry in ("1d", "a1d"):
        return t.layout == "linear" or t.geometry == "a1d"
    machine = "line" if (op.geometry, op.lod, op.compare) == ("1d", "grad", True) else CLASSES[op.geometry]
    return t.layout != "linear" and machine == CLASSES[t.geometry]


def fetch(texture, sampler, op, o):
    """Words x, y, z, w (of f16x2: two), and the predicate."""
    words, resident = Fetch(texture, sampler, op, o).answer() if sees(op, texture) else ([0] * 4, True)
    words = words + [0] * (4 - len(words))
    if op.result == "f16":
        words = [narrow(w) for w in words]
    if op.result == "f16x2":
        halves = [narrow(w) for w in words]
        words = [halves[1] << 16 | halves[0], halves[3] << 16 | halves[2], 0, 0]
    return words, resident


class Fetch:
    def __init__(self, texture, sampler, op, o):
        self.t, self.s, self.op, self.o = texture, sampler, op, o
        self.kinds, self.resident = kinds(texture, sampler), True
        # 9.2: how texels are compared; 16 bits of one channel, whatever they are, as those of unorm 16.
        kind, bits = self.kinds[0]
        compares = op.compare and sampler.get("compare", "none") != "none" and len(self.kinds) == 1
        depth = ("unorm", 16) if bits == 16 else (kind, bits) if kind == "f32" or bits == 24 else None
        self.compared = depth if compares else None
        self.cube = "cube" in op.geometry
        # 1.13: .1d with float coordinates is a fetch of a plane at y = 0.
        self.row = op.geometry == "1d" and op.coord == "f32"
        self.axes = 2 if self.row else AXES.get(op.geometry, 2)
        mode = sampler.get("address", ["clamp"])
        mode = [mode] if isinstance(mode, str) else mode
        self.modes = [mode[min(i, len(mode) - 1)] for i in range(3)]
        described = texture.normalized and not sampler.get("force_unnormalized", False)
        # Rules 1.8, 1.11 (an array of one level acts as one that is not mipmapped), 7.5.
        self.normalized = described or texture.array_levels > 1 or self.cube
        if not described and not self.cube:
            self.modes = ["clamp" if m in ("wrap", "mirror") else m for m in self.modes]
        self.linear = sampler.get("filter") == "linear"
        self.seamless = self.cube and sampler.get("seamless_cube", False)
        # 1.7 clamp_ogl, 7.6: a point filter stays inside.
        self.across = self.seamless and bool(self.linear or op.gather)
        if self.across:
            self.modes = [None] * 3
        elif not self.linear and not op.gather:
            self.modes = ["clamp" if self.seamless or m == "clamp_ogl" else m for m in self.modes]
        e = o.get("offset") if op.offset else [0, 0, 0]
        # Rule 1.4; of .1d, x and the row.
        self.offset = [low_bits(i, 6 if op.gather else 4) for i in ([e[0], e[0] >> 4] if self.row else e)]

    def answer(self):
        coords, plane = list(self.o["coords"]), 0
        if self.op.coord == "s32":
            return self.integer(coords), self.resident
        if self.op.geometry[0] == "a":
            plane = min(coords.pop(0), self.t.layers - 1)
        if self.cube:
            face, coords = face_of(coords)
            plane = 6 * plane + face
        else:
            coords = [flushed(w) for w in coords] + [F(0)] * self.row
        if self.op.gather:
            return self.gather(coords, plane), self.resident
        levels, k = self.taps()
        batches = []
        for level, taps in levels:
            groups = []
            for share, up, shift in taps:
                groups.append([[(w << up, self.read(level, plane, 0, at, w)) for w, at in g] for g in self.footprint(level, plane, coords, share, shift)])
            batches += [[g for tap in groups[i : i + 4] for g in tap] for i in range(0, len(groups), 4)]
        return self.result(batches, k), self.resident

    # -- texels --

    def read(self, level, plane, sample, at, weight):
        """A texel; at: (face of a cube or None, x, y, z); None: the border colour. Rule 9.4: the predicate."""
        if at is None:
            words = self.s.get("border", [0] * 4)
            return [border_code(k, b, w) for (k, b), w in zip(self.kinds, words)]
        plane = plane if at[0] is None else plane // 6 * 6 + at[0]
        codes, there = self.t.texel(level, plane, sample, *at[1:])
        if weight and not there:
            self.resident = False
        return codes

    def result(self, batches, k=0):
        """Rule 3.5: the sum of a format, or of one texel its value."""
        if self.compared:
            total = sum(w for b in batches for g in b for w, codes in g if self.passes(codes[0]))
            return [f32(F(total, 2 ** (8 + k))), 0, 0, 0]
        anisotropic = self.s.get("max_anisotropy", 0) >= 2
        mips = self.t.levels is not None and (anisotropic or self.s.get("mip_filter") == "linear")
        if self.op.coord == "s32" or not (self.linear or mips or self.op.lod == "grad" and anisotropic):
            return [point_value(kind, b, c) for (kind, b), c in zip(self.kinds, batches[0][0][0][1])]
        return [blend(kind, b, [[[(w, codes[i]) for w, codes in g] for g in batch] for batch in batches], k)
                for i, (kind, b) in enumerate(self.kinds)]

    def passes(self, code):
        """Rule 9.2."""
        kind, bits = self.compared
        ref, function = self.o["compare"], self.s["compare"]
        if kind == "f32" and NAN in (float_of(code)[1], float_of(ref)[1]):
            return function in ("not_equal", "always")
        r, t = (flushed(ref), flushed(code)) if kind == "f32" else (border_code(kind, bits, ref), code)
        return {"never": False, "less": r < t, "equal": r == t, "less_equal": r <= t,
                "greater": r > t, "not_equal": r != t, "greater_equal": r >= t, "always": True}[function]

    # -- levels: section 3 --

    def biased(self, q):
        """Rules 3.2 and 3.6: bias and sharpening."""
        a, word = self.s.get("max_anisotropy", 0), self.s.get("bias", 0)
        lo, rate = (0, 1) if a < 2 else (F(128, 3), F(3, 2)) if a < 4 else (F(384, 7), F(7, 4)) if a < 8 else (64, 2)
        bias = min(max(trunc(number(word) * 256 - lo), -4096), 4095) if float_of(word)[1] != NAN else 4095
        t = q + bias + trunc(lo)
        if a < 2 or self.s.get("mip_filter") != "linear":
            return t
        over = (t & 255) - trunc(lo)
        return (t >> 8 << 8) + (0 if over <= 0 else min(256, floor(rate * over)))

    def clamped(self, q):
        """Rules 3.3 and 3.4; what is no mip level is level 0."""
        if not self.t.levels:
            return 0
        field = lambda w: 4095 if float_of(w)[1] == NAN else min(max(trunc(number(w) * 256), 0), 4095)
        mn, mx = field(self.s.get("min", 0)), field(self.s.get("max", 0x7F800000))
        q = min(max(min(max(q, mn), max(mn, mx)), 0), 256 * (self.t.levels - 1))
        return q if self.s.get("mip_filter") == "linear" else (q + 128) >> 8 << 8

    def taps(self):
        """[(level, [(share, shift of weights, way of a tap in texels)])], and the logarithm of what weights come to."""
        q, lod = 0, self.op.lod
        if lod == "level":
            q = self.biased(max(min(trunc(number(self.o["lod"]) * 256), BIG), -BIG))
        elif lod == "grad":
            x, y, alone = gradient_rows(self.t, self.op, self.o, self.normalized)
            if alone and self.s.get("max_anisotropy", 0) >= 2 and self.op.geometry not in ("3d", "a1d"):
                return self.anisotropic(x, y)
            q = self.biased(level_of(x, y, alone))
        q = self.clamped(q)
        return [(level, [(share, 0, (0, 0, 0))]) for level, share in ((q >> 8, 256 - (q & 255)), ((q >> 8) + 1, q & 255)) if share], 0

    def anisotropic(self, x, y):
        """Rule 4.12."""
        a = max(step for step in LOG_OF if step <= max(self.s["max_anisotropy"], 1))
        turned = (x, y) if ten_length(x) >= ten_length(y) else (y, x)
        both, apart = [added(c, d) for c, d in zip(x, y)], [added(c, -d) for c, d in zip(*turned)]
        s16 = lambda v: [cut10(part(abs(c), F(11, 8), -1)) * (1 if c > 0 else -1) for c in v]
        vectors = [(ten_length(x), x), (diagonal(both), s16(both)), (diagonal(apart), s16(apart)), (ten_length(y), y)]
        longest, way = max(vectors, key=lambda v: v[0])
        q, ratio, log = -BIG, 0, 0
        if longest:
            area = abs(added(times10(x[0], y[1]), -times10(y[0], x[1])))
            log = log2_256(longest)
            ratio = min(max(2 * log - log2_256(area), 0), LOG_OF[a]) if area else LOG_OF[a]
            q = log - ratio
        level = self.clamped(self.biased(q))
        part_, r = level & 255, max(0, min(ratio, log - max(q, 0))) if longest else 0
        d = direction(way) if longest else (0, 0)
        found = []
        for index, share, ratio in ((0, 256 - part_, r), (1, part_, max(0, r + part_ - 256))):
            if not share:
                continue
            weights, k = tap_weights(ratio, r == 0)
            t = 128 if ratio >= 256 else 256 - exp2_256(ratio) if ratio else 0
            step = [(c * t + 64) >> 7 for c in d]
            if index == 0 and part_:
                step = [c * (exp2_256(256 - part_) >> 1) >> 6 for c in step]
            found.append((index, share, weights, k, step))
        most = max(k for *_, k, _ in found)
        levels = []
        for index, share, weights, k, step in found:
            taps, done, n = [], 0, len(weights)
            for j, w in enumerate(weights):
                before, done = rhu(F(share * done, 256)), done + w
                taps.append((rhu(F(share * done, 256)) - before, most - k, [F((2 * j - n + 1) * c, 128) for c in step] + [0]))
            levels.append(((level >> 8) + index, taps))
        return levels, most

    # -- footprints --

    def footprint(self, level, plane, coords, share, shift):
        """Weights of section 2, as groups of a slice each: what is read, even if its weight is 0."""
        n, find = self.t.level_size(level), [(0, 0)] * 3
        for axis in range(self.axes):
            u = in_texels(coords[axis], n[axis], self.normalized, self.modes[axis])
            u = max(min(u, F(n[axis])), F(0)) if self.across else u
            if self.linear:
                find[axis] = neighbours(u + shift[axis] + self.offset[axis], n[axis], self.modes[axis])
            else:
                find[axis] = floor(u + shift[axis]) + self.offset[axis], 0
        if self.across:
            find = at_the_corner(find, n[0])
        groups = []
        for dz, wz in split(share, find[2][1], False):
            cells = {}
            for dx, wx in split(wz, find[0][1], True):
                for dy, w in split(wx, find[1][1], dx == 1):
                    cells[dx, dy] = w
            if self.across:
                cells = without_corner(cells, find, n[0])
            groups.append([(w, self.place(plane, [find[0][0] + dx, find[1][0] + dy, find[2][0] + dz], n)) for (dx, dy), w in cells.items()])
        return groups

    def place(self, plane, at, n):
        """Where a texel of a footprint lies; None is the border."""
        if self.across:
            home = plane % 6
            return (home, *at) if all(0 <= k < n[0] for k in at[:2]) else fold(home, at, n[0])
        at = [address(k, size, "border" if m == "clamp_ogl" else m) for k, size, m in zip(at, n, self.modes)][: self.axes]
        return None if None in at else (None, *at, *[0] * (3 - self.axes))

    # -- integer coordinates: rules 1.9, 1.13, 9.5, 9.6 --

    def integer(self, coords):
        t, op, sample, layer = self.t, self.op, 0, 0
        if "ms" in op.geometry:
            sample = coords.pop(0) % t.samples
        if op.geometry[0] == "a":
            layer = coords.pop(0)
        named, linear = op.lod == "level", t.layout == "linear"
        level = low_bits(self.o["lod"], 32) if named and not linear else 0
        if not 0 <= level < (t.levels or 1):
            return [0] * 4
        n = t.level_size(level)
        layered = t.geometry[0] == "a"
        layers = t.layers if layered else 65536 if linear or t.levels else 1
        at = [low_bits(c, 32) + (0 if linear else e) for c, e in zip(coords, self.offset)]
        if named:
            at, layer = [min(max(c, 0), size - 1) for c, size in zip(at, n)], min(layer, layers - 1)
        inside = layer < layers and all(0 <= c < size for c, size in zip(at, n))
        where = (None, *at, *[0] * (3 - len(at)))
        codes = self.read(level, layer if layered else 0, sample, where, 256) if inside else [0] * len(self.kinds)
        return self.result([[[(256, codes)]]])

    # -- gather: section 8 --

    def gather(self, coords, plane):
        n, component, find = self.t.level_size(0), self.op.gather - 1, []
        for axis in (0, 1):
            mode = self.modes[axis]
            u = in_texels(coords[axis], n[axis], self.normalized, mode)
            u = max(min(u, F(n[axis])), F(0)) if self.across else u
            find.append(neighbours(u + self.offset[axis], n[axis], mode if mode == "clamp_ogl" else None))
        words = []
        for cell in ((0, 1), (1, 1), (1, 0), (0, 0)):
            cells = {cell: 256}
            if self.across:
                cells = without_corner(cells, find, n[0])
            texels = [(w, self.read(0, plane, 0, self.place(plane, [find[0][0] + dx, find[1][0] + dy, 0], n), 256)) for (dx, dy), w in cells.items()]
            if self.compared:
                words.append(f32(F(sum(w for w, codes in texels if self.passes(codes[0])), 256)))
            elif component >= len(self.kinds):
                words.append(0)
            else:
                kind, bits = self.kinds[component]
                words.append(gathered(kind, bits, [(w, codes[component]) for w, codes in texels]))
        return words


def gathered(kind, bits, texels):
    """Rules 8.3, 8.4, 8.7: the sum of one texel, but for unorm, snorm 16 and sRGB its value."""
    if len(texels) == 1 and (kind, bits) not in (("snorm", 8), ("unorm10", 16), ("f32", 32), ("f16", 16)):
        return point_value(kind, bits, texels[0][1])
    return blend(kind, bits, [[texels]])


# ---- Cubes: section 7 ----

# face -> (major axis, its sign, (axis, sign) of sc, of tc)
FACES = [
    (0, 1, (2, -1), (1, -1)), (0, -1, (2, 1), (1, -1)), (1, 1, (0, 1), (2, 1)),
    (1, -1, (0, 1), (2, -1)), (2, 1, (0, 1), (1, -1)), (2, -1, (0, -1), (1, -1)),
]


def rcp(word):
    """Rules 7.3 and 13.1, of a positive operand."""
    exponent, mantissa = word >> 23 & 255, word & 0x7FFFFF
    if exponent in (0, 255):
        return 0x7F800000 if exponent == 0 else 0x7FFFFFFF if mantissa else 0
    (c0, c1, c2), x = RCP[mantissa >> 16], (mantissa & 0xFFFF) << 1
    bits = [i for i in range(17) if x >> i & 1]
    square = sum(2 ** (i + j + (i < j)) for i in bits for j in bits if i <= j and i + j + (i < j) >= 19) >> 19
    value = 2**15 * c0 + 8092 - 2 * c1 * x + 4 * c2 * square >> 17
    result = F(value, 2**24) * F(2) ** (127 - exponent)
    return f32(result) if result >= F(2) ** -126 else 0


def products(words):
    """Rule 7.2."""
    sizes = [w & 0x7FFFFFFF for w in words]
    most = max((m for m in sizes if m <= 0x7F800000), default=0x7FFFFFFF)
    return [combined(w, rcp(most), True) for w in words]


def face_by(p):
    """Rule 7.1."""
    size = [-1 if float_of(w)[1] == NAN else abs(number(w)) for w in p]
    axis = max((2, 1, 0), key=lambda a: size[a])
    return 2 * axis + (number(p[axis]) < 0)


def face_of(words):
    """Face, and its two coordinates."""
    p = products(words)
    face = face_by(p)
    return face, [(flushed(p[axis]) * sign + 1) / 2 for axis, sign in FACES[face][2:]]


def outside(k, n):
    return not 0 <= k < n


def missing_cells(find, n):
    return [(x, y) for x in (0, 1) for y in (0, 1) if outside(find[0][0] + x, n) and outside(find[1][0] + y, n)]


def at_the_corner(find, n):
    """A footprint that misses more than one texel: pulled to the corner."""
    if len(missing_cells(find, n)) < 2:
        return find
    pulled = [(-1, 0) if i < -1 else (n - 1, 256) if i > n - 1 else (i, a) for i, a in find[:2]]
    return pulled + find[2:]


def without_corner(cells, find, n):
    """Rule 7.7 (8.7: of the cell that is gathered): the missing texel's weight goes to the other three."""
    cells = dict(cells)
    for x, y in missing_cells(find, n):
        if (x, y) in cells:
            w = cells.pop((x, y))
            third = rhu(F(w, 3))
            for cell, more in (((1 - x, y), third), ((x, 1 - y), third), ((1 - x, 1 - y), w - 2 * third)):
                cells[cell] = cells.get(cell, 0) + more
    return cells


def fold(face, at, n):
    """(face, x, y, z) of the texel that continues a face past an edge, at most to the neighbour's end."""
    axis, sign, (s_axis, s_sign), (t_axis, t_sign) = FACES[face]
    s, t = [F(2 * min(max(i, -n), 2 * n - 1) + 1, n) - 1 for i in at[:2]]
    major = F(1)
    if abs(s) > 1:
        s, major = F(1 if s > 0 else -1), 1 - (abs(s) - 1)
    else:
        t, major = F(1 if t > 0 else -1), 1 - (abs(t) - 1)
    point = [F(0)] * 3
    point[axis], point[s_axis], point[t_axis] = major * sign, s * s_sign, t * t_sign
    axis = max(range(3), key=lambda a: abs(point[a]))
    other = 2 * axis + (point[axis] < 0)
    back = [floor((point[a] * d + 1) / 2 * n) for a, d in FACES[other][2:]]
    return other, *back, 0


# ---- Gradients: section 4 ----


def cut10(value):
    return cut(value, ilogb(abs(value)) - 9) if value else F(0)


def parts10(value):
    """Significand 512..1023 and exponent of a positive 10-bit number: sig * 2^exp."""
    e = ilogb(value) - 9
    return int(value / F(2) ** e), e


def times10(a, b):
    """Rule 4.2: shift and add of the bits of b below its leading one."""
    if a == 0 or b == 0:
        return F(0)
    (m, e), (by, eb) = parts10(abs(a)), parts10(abs(b))
    t = 8 * m + sum(8 * m >> i for i in range(1, 10) if by >> (9 - i) & 1)
    product = cut10((t + 7 >> 3 if t < 8192 else 2 * (t + 7 >> 4)) * F(2) ** (e + eb + 9))
    return product if (a > 0) == (b > 0) else -product


def scaled(value, n):
    """Rule 4.2: a component times the size."""
    return times10(cut10(value), cut10(F(n)))


def part(value, factor, shift):
    """rhu(factor * m) * 2^(e + shift) of a 10-bit number m * 2^e."""
    m, e = parts10(value) if value else (0, 0)
    return rhu(factor * m) * F(2) ** (e + shift)


def on_grid(value, other):
    """A number floored to a multiple of the last place of another of 10 bits."""
    return cut(value, ilogb(other) - 9)


def ten_length(values):
    """Rules 4.3, 4.10."""
    a, b, *c = sorted((abs(v) for v in values), reverse=True)
    p = part(b, F(11, 8), -2)
    return cut10(a + cut10(p) + on_grid(c[0] / 4, cut10(p)) if c and c[0] else a + p)


def diagonal(values):
    """Rules 4.4, 4.10."""
    a, b, *c = sorted((abs(v) for v in values), reverse=True)
    p, q = cut10(part(a, F(11, 8), -1)), part(b, F(121, 64), -3)
    return cut10(p + cut10(q) + on_grid(part(c[0], F(11, 8), -3), cut10(q)) if c and c[0] else p + q)


def added(a, b):
    """Rule 4.5."""
    if a == 0 or b == 0:
        return a + b
    e = ilogb(max(abs(a), abs(b))) - 10
    return cut10(cut(a, e) + cut(b, e))


def log2_256(value):
    """Rule 4.7, of a positive 10-bit number."""
    e = ilogb(value)
    return 256 * e + LOG2_256[floor((value / F(2) ** e - 1) * 256)]


LOG_OF = {1: 0, 2: 256, 4: 512, 6: 656, 8: 768, 10: 848, 12: 912, 16: 1024}


def exp2_256(r):
    """Rule 4.12: E(r)."""
    return floor(256 * 2 ** (-r / 256) + 0.5)


def direction(way):
    """Rule 4.12: a vector over its length, in 1/64."""
    e = max(ilogb(abs(c)) for c in way if c)
    near = [2 * floor(abs(c) / F(2) ** (e - 3)) + 1 if c and ilogb(abs(c)) >= e - 5 else 0 for c in way]
    square = sum(v * v for v in near)
    return [(isqrt((128 * v) ** 2 // square) + 1) // 2 * (-1 if c < 0 else 1) for v, c in zip(near, way)]


def tap_weights(r, one):
    """Rule 4.12: weights of the taps for a ratio, which come to 256 * 2^K, and K."""
    if one:
        return [256], 0
    if r < 256:
        return [256, 256], 1
    w, k = 4 * exp2_256(r & 255) >> (r >> 8), 2
    if w > 256:
        w, k = w >> 1, 1
    n, end = 2, lambda n: (256 * 2**k - (n - 2) * w) // 2
    while end(n) > w:
        n += 2
    return [end(n)] + [w] * (n - 2) + [end(n)], k


def cube_rows(texture, o):
    """Rule 4.11: gradients on the face of P, and whether all three lanes are on it."""
    point, n = o["coords"][-3:], texture.size[0]
    lanes = [products(point)] + [products([combined(p, c, False) for p, c in zip(point, o[d])]) for d in ("dpdx", "dpdy")]
    faces, lanes = [face_by(p) for p in lanes], [[flushed(c) for c in p] for p in lanes]
    home, p = faces[0], lanes[0]
    texels = lambda v: scaled(v / 2, n)
    rows = []
    for face, other in zip(faces[1:], lanes[1:]):
        row, (axis, way) = [], FACES[face][:2]
        for along, sign in FACES[home][2:]:
            if face == home or axis != along:
                row.append(texels(sign * difference(other[along], p[along])))
                continue
            behind = FACES[home][1] * other[FACES[home][0]]
            edge = added(texels(difference(F(1), way * p[axis])), texels(difference(F(1), behind)))
            row.append(edge * way * sign)
        rows.append(row + ([F(n)] if face ^ home == 1 else []))
    return rows[0], rows[1], len(set(faces)) == 1


def difference(a, b):
    """Both are first cut to 24 bits below the exponent of the larger."""
    most = max(abs(a), abs(b))
    return cut(a, ilogb(most) - 24) - cut(b, ilogb(most) - 24) if most else F(0)


def gradient_rows(texture, op, o, normalized=True):
    """dPdx and dPdy in texels of the base level, and whether diagonals count."""
    if "cube" in op.geometry:
        return cube_rows(texture, o)
    counts = texture.size if normalized else [1, 1, 1]
    rows = []
    for d in (o["dpdx"], o["dpdy"]):
        row = [quad(p, c) for p, c in zip(o["coords"], d)] if op.geometry == "3d" else [max(min(number(c), F(2) ** 128), -(F(2) ** 128)) for c in d]
        row = [scaled(v, n) for v, n in zip(row, counts)]
        rows.append(row + [F(0)] * (2 - len(row)))
    return rows[0], rows[1], True


def level_of(x, y, diagonals):
    """Rules 4.6, 4.7: q before bias and clamps."""
    rho = max(ten_length(x), ten_length(y))
    if diagonals:
        rho = max(rho, *(diagonal([added(a, s * b) for a, b in zip(x, y)]) for s in (1, -1)))
    return log2_256(rho) if rho else -BIG


def quad(p, d):
    """Rule 4.9: the difference that the unit takes along an axis; 2^97 and more count as the last level."""
    a, b = number(p), number(combined(p, d, False))
    return FAR if max(abs(a), abs(b)) >= F(2) ** 97 else b - a


# ---- Surfaces: section 10 ----


class Surface:
    """Bytes of one level: rows, slices, layers."""

    def __init__(self, t):
        self.format, self.memory = t.format, bytearray()
        self.dims = {"1d": 1, "a1d": 1, "3d": 3}.get(t.geometry, 2)
        self.plain, (width, self.height, self.depth) = t.geometry in ("1d", "2d"), t.size
        self.layers = t.layers * (6 if t.cube else 1)
        digits, level = DIGITS[t.of], t.first_level
        self.texel = digits // 2 * t.count
        self.row = width * self.texel
        self.missing = lambda layer, y, x: (level, layer, x // self.texel // 128, y // 128) in t.missing
        self.memory = bytearray(b"".join(t.code(level, i).to_bytes(digits // 2, "little") for i in range(t.length(level))))

    def place(self, geometry, clamp, layer, x, y, z, size):
        """Offset of an access of `size` bytes; None if it is dropped; or the name of its fault."""
        if x % size:
            return "misaligned"
        dims = AXES.get(geometry, 2)
        # Rule 10.10.
        if dims != self.dims and (dims, self.dims) != (2, 3):
            return None
        y, z = (0, 0) if dims == 1 else (y, z if dims == 3 else 0)
        layers = 1 if geometry[0] != "a" or self.plain else self.depth if self.dims == 3 else self.layers
        slices = self.depth if dims == 3 else 1
        # Rule 10.3; which bits of a layer count is open.
        layer &= 0x7FFFFFFF
        inside = 0 <= x <= self.row - size and 0 <= y < self.height and 0 <= z < slices and layer < layers
        if not inside and (clamp == "zero" or clamp == "clamp" and self.row < size):
            return None
        if not inside and clamp == "trap":
            return "outside"
        x = min(max(x, 0), (self.row - size) // size * size)
        y, z, layer = min(max(y, 0), self.height - 1), min(max(z, 0), slices - 1), min(layer, layers - 1)
        layer = 0 if self.dims == 3 else layer
        if self.missing(layer, y, x):
            return None
        return ((layer * self.depth + z) * self.height + y) * self.row + x


def store_code(kind, bits, word):
    """Rules 10.7, 10.8: a word of sust.p as the bits of a channel."""
    if kind not in ("uint", "sint"):
        return border_code(kind, bits, word)
    low, high = (0, 2**bits - 1) if kind == "uint" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    return min(max(word if kind == "uint" else low_bits(word, 32), low), high) & (2**bits - 1)


def stored(format_name, words):
    """A texel of sust.p, as a number."""
    if format_name == "rgb10a2":
        *colours, w = [border_code("unorm", 10, words[i] if i < len(words) else 0) for i in range(4)]
        fields = [(c, 10) for c in colours] + [(((w >> 6) + 2) // 5, 2)]
    else:
        every = enumerate(channels(format_name))
        fields = [(store_code(element or normalized, bits, words[i] if i < len(words) else 0), bits) for i, (element, bits, normalized) in every]
    texel = at = 0
    for code, bits in fields:
        texel, at = texel | code << at, at + bits
    return texel


def reduced(op, old, new, bits, is_signed):
    if is_signed:
        old, new = low_bits(old, bits), low_bits(new, bits)
    result = {"add": old + new, "min": min(old, new), "max": max(old, new), "and": old & new, "or": old | new}[op]
    return result & (2**bits - 1)


def access(surface, op, coords, value, size):
    """What an access loads (hex of bytes, or a fault), after its effect on the memory."""
    parts = op.split(".")
    name, formatted, clamp = parts[0], parts[1] == "p", parts[-1]
    operation = parts.pop(2) if name == "sured" else None
    geometry = parts[2]
    layer = coords[0] if geometry[0] == "a" else 0
    x, y, z = (coords[geometry[0] == "a" :] + [0, 0])[:3]
    size = surface.texel if formatted and name == "sust" else size
    at = surface.place(geometry, clamp, layer, x * (size if formatted else 1), y, z, size)
    if isinstance(at, str):
        return at
    if name == "suld":
        return surface.memory[at : at + size].hex() if at is not None else "00" * size
    if at is None:
        return ""
    if name == "sured":
        old = int.from_bytes(surface.memory[at : at + size], "little")
        # Rule 10.9.
        is_signed = surface.format[:2] in ("s8", "s1", "s3", "sn") if formatted else parts[-2][0] == "s"
        new = reduced(operation, old, int(value, 16), 8 * size, is_signed).to_bytes(size, "little")
    else:
        new = stored(surface.format, words_of(value)).to_bytes(size, "little") if formatted else bytes.fromhex(value)
    surface.memory[at : at + size] = new
    return ""


# ---- The cases of this folder ----

SAMPLER_KEYS = {"filter_mode": "filter", "mipmap_filter_mode": "mip_filter", "address_mode": "address", "border_color": "border",
                "mipmap_level_bias": "bias", "min_mipmap_level_clamp": "min", "max_mipmap_level_clamp": "max",
                "seamless_cubemap": "seamless_cube", "force_unnormalized_coords": "force_unnormalized"}


def words_of(text, digits=8):
    return [int(text[i : i + digits], 16) for i in range(0, len(text), digits)]


def sampler_of(given):
    word = lambda v: int(v, 16) if isinstance(v, str) else f(v)
    s = {SAMPLER_KEYS.get(key, key): value for key, value in given.items()}
    s.update({name: word(s[name]) for name in ("bias", "min", "max") if name in s})
    if "border" in s:
        s["border"] = [word(v) for v in s["border"]]
    return s


def answers(case, resource):
    """(what the case expects, what the rules say) of every fetch."""
    op = Op(case["op"], "offset" in case or "offsets" in case, "compare" in case)
    texture = Texture(resource, case.get("read_mode", "element"), case.get("normalized_coords", False))
    sampler, axes = sampler_of(case.get("sampler", {})), AXES.get(op.geometry, 2)
    coordinates = axes + (op.geometry[0] == "a") + ("cube" in op.geometry) + ("ms" in op.geometry)
    per = case.get("components", 2 if op.result == "f16x2" else 4)
    columns = {"coords": coordinates, "lod": 1, "compare": 1, "dpdx": axes + ("cube" in op.geometry), "dpdy": axes + ("cube" in op.geometry),
               "offsets": axes, "expected": per}
    columns = {key: (words_of(case[key]), n) for key, n in columns.items() if key in case}
    for i in range(len(columns["coords"][0]) // coordinates):
        o = {key: words[i * n : i * n + n] for key, (words, n) in columns.items()}
        o.update({key: o[key][0] for key in ("lod", "compare") if key in o}, offset=o.get("offsets", case.get("offset")))
        words, resident = fetch(texture, sampler, op, o)
        there, here = o["expected"], words[:per]
        if "resident" in case:
            there, here = there + [int(case["resident"][i])], here + [int(resident)]
        yield o["coords"], there, here


def surface_answers(case, resource):
    """The same of every access, and of the memory afterwards. Rule 10.6: which lane of a warp comes last."""
    surface, op = Surface(Texture(resource)), case["op"]
    every = []
    for a, value in zip(case["accesses"].split(), case["values"].split()):
        size, _, a = a.rpartition(":")
        vector = [p for p in op.split(".") if p in ("v2", "v4")]
        last = op.split(".")[-2]
        size = int(size) if size else int(last.lstrip("busf")) // 8 * (int(vector[0][1]) if vector else 1)
        every.append(([int(c) for c in a.split(",")], value, size))
    order = range(len(every))
    if case.get("warp") and op.startswith("sust"):
        lanes = {8: 16, 16: 8}.get(surface.texel if ".p." in op else every[0][2], 32)
        order = [i for at in range(0, len(every), lanes) for i in reversed(order[at : at + lanes])]
    for i in order:
        coords, value, size = every[i]
        fault = value in ("outside", "misaligned")
        there = value if fault or op.startswith("suld") else ""
        yield coords, there, access(surface, op, coords, "00" * size if fault else value, size)
    if "after" in case:
        yield "after", case["after"], surface.memory.hex()


def check(path):
    """Compares the answers of a file with the rules'."""
    import gzip
    import json
    import tomllib

    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as source:
        data = (json if ".json" in path else tomllib).load(source)
    if "sums" in data:
        wrong = [1 for kind, levels, word, _ in data["sums"] if int(word, 16) != adder(
            kind, [[[(w, int(code, 16)) for code, w, read in texels if read] for texels in slices] for slices in levels], 0)]
        return len(data["sums"]), len(wrong), 0
    resources, shared = {r["name"]: r for r in data.get("resource", [])}, data.get("words", {})
    seen = bad = left_out = 0
    for kind, of in (("fetch", answers), ("surface", surface_answers)):
        for case in data.get(kind, []):
            case = {key: shared[value[1:]] if isinstance(value, str) and value[:1] == "@" else value for key, value in case.items()}
            try:
                asked = [] if "error" in case else list(of(case, resources[case["resource"]]))
            except NotHere:
                left_out += 1
                continue
            wrong = [row for row in asked if row[1] != row[2]]
            seen, bad = seen + len(asked), bad + len(wrong)
            for at, there, here in wrong[:1]:
                show = lambda ws: ws if isinstance(ws, str) else " ".join(f"{w:08x}" for w in ws)
                print(f"{case['name']}: {len(wrong)}, {case['op']} at {show(at)}: there {show(there)}, here {show(here)}; {case.get('sampler')} {resources[case['resource']]['format']}")
    return seen, bad, left_out


if __name__ == "__main__":
    import sys

    counts = [check(path) for path in sys.argv[1:]]
    seen, bad, left_out = map(sum, zip(*counts))
    print(f"{seen} fetches, {bad} differ ({left_out} cases are about block-compressed formats)")
