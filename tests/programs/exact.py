"""Exact IEEE arithmetic for generate.py: every operation on fractions, rounded once, in any format and direction."""
import math
from fractions import Fraction

# precision, least exponent, greatest exponent
F16, F32, F64 = (11, -14, 15), (24, -126, 127), (53, -1022, 1023)


def log2_floor(m):
    e = m.numerator.bit_length() - m.denominator.bit_length()
    return e - 1 if m < Fraction(2) ** e else e


def whole(m, mode, negative):
    """A fraction >= 0 to an integer; mode rn, rz, ru or rd is that of the signed value."""
    n, rest = divmod(m.numerator, m.denominator)
    if mode == "rn":
        twice = 2 * rest - m.denominator
        return n + (twice > 0 or (twice == 0 and n & 1 == 1))
    return n + (rest != 0 and ((mode == "ru" and not negative) or (mode == "rd" and negative)))


def rounded(value, fmt, mode="rn", zero=0.0):
    """A fraction in the format, as a Python float; an exact zero gives `zero`."""
    if value == 0:
        return zero
    precision, least, greatest = fmt
    negative, m = value < 0, abs(value)
    grid = max(log2_floor(m), least) - (precision - 1)
    n = whole(m / Fraction(2) ** grid, mode, negative)
    limit = (2**precision - 1) * Fraction(2) ** (greatest - precision + 1)
    result = n * Fraction(2) ** grid
    if result > limit:
        away = mode == "rn" or (mode == "ru" and not negative) or (mode == "rd" and negative)
        result = math.inf if away else float(limit)
    return math.copysign(float(result), -1 if negative else 1)


def special(*values):
    return any(math.isnan(v) or math.isinf(v) for v in values)


def minus(x):
    return math.copysign(1.0, x) < 0


def add(x, y, fmt, mode="rn"):
    if special(x, y):
        return x + y
    both = minus(x) and minus(y) and x == 0 and y == 0
    either = x == 0 and y == 0 and minus(x) != minus(y)
    zero = -0.0 if both or (mode == "rd" and (either or x != 0)) else 0.0
    return rounded(Fraction(x) + Fraction(y), fmt, mode, zero)


def mul(x, y, fmt, mode="rn"):
    if special(x, y):
        return x * y
    return rounded(Fraction(x) * Fraction(y), fmt, mode, -0.0 if minus(x) != minus(y) else 0.0)


def fma(x, y, z, fmt, mode="rn"):
    if special(x, y):
        return x * y + z
    if special(z):
        return z
    product = Fraction(x) * Fraction(y)
    p_minus = minus(x) != minus(y)
    if product == 0 and z == 0 and p_minus == minus(z):
        zero = -0.0 if p_minus else 0.0
    else:
        zero = -0.0 if mode == "rd" else 0.0
    return rounded(product + Fraction(z), fmt, mode, zero)


def div(x, y, fmt, mode="rn"):
    sign = -1.0 if minus(x) != minus(y) else 1.0
    if math.isnan(x) or math.isnan(y) or (x == 0 and y == 0) or (math.isinf(x) and math.isinf(y)):
        return math.nan
    if math.isinf(x) or y == 0:
        return sign * math.inf
    if math.isinf(y):
        return sign * 0.0
    return rounded(Fraction(x) / Fraction(y), fmt, mode, sign * 0.0)


def sqrt(x, fmt, mode="rn"):
    if math.isnan(x) or x < 0:
        return math.nan
    if x == 0 or math.isinf(x):
        return x
    # The root of x * 4^k with some 80 bits, and a sticky half step that keeps its side of every tie.
    k = 90 - log2_floor(Fraction(x)) // 2
    scaled = Fraction(x) * Fraction(4) ** k
    root = math.isqrt(scaled.numerator // scaled.denominator)
    exact = root * root == scaled
    return rounded((Fraction(root) + (0 if exact else Fraction(1, 2))) / Fraction(2) ** k, fmt, mode)


def to_int(x, bits, signed, mode, nan):
    """Float to integer: saturates, NaN gives `nan`."""
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if math.isnan(x):
        return nan
    if math.isinf(x):
        return high if x > 0 else low
    n = whole(abs(Fraction(x)), mode, x < 0)
    return max(low, min(high, -n if x < 0 else n))


def to_whole_float(x, mode):
    """rint, trunc, ... of a finite float, the sign of zero kept."""
    if special(x):
        return x
    return math.copysign(float(whole(abs(Fraction(x)), mode, x < 0)), x)


def self_test():
    import random
    import struct
    random.seed(4)
    def f32(v):
        try:
            return struct.unpack("<f", struct.pack("<f", v))[0]
        except OverflowError:
            return math.copysign(math.inf, v)
    for _ in range(3000):
        x, y = (f32(random.uniform(-2, 2) * 2.0 ** random.randint(-80, 60)) for _ in range(2))
        assert add(x, y, F64) == x + y and mul(x, y, F64) == x * y and (y == 0 or div(x, y, F64) == x / y)
        assert sqrt(abs(x), F64) == math.sqrt(abs(x))
        # A single f64 operation on f32 values rounds innocuously to f32.
        assert add(x, y, F32) == f32(x + y) and mul(x, y, F32) == f32(x * y)
        assert sqrt(abs(x), F32) == f32(math.sqrt(abs(x)))
        assert mul(x, y, F32, "rd") <= mul(x, y, F32) <= mul(x, y, F32, "ru")
        a = math.ldexp(random.random(), random.randint(-1080, -1000))
        assert mul(a, 0.75, F64) == a * 0.75
        h = random.uniform(-70000, 70000) * 2.0 ** random.randint(-26, 0)
        if abs(h) < 65519:
            assert rounded(Fraction(h), F16) == struct.unpack("<e", struct.pack("<e", h))[0]
