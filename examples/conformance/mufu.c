/* The special function unit (MUFU) of an NVIDIA H200, bit for bit: a reader of tables.txt, a reference, and a check of it
 * against hashes.txt, which are what a card gave for all operands. docs/special-functions.md of texunit explains it.
 *
 *     cc -O2 mufu.c -o mufu                          any C99 compiler; -fopenmp for all cores
 *     ./mufu FOLDER --quick                          1,140,850,688 operands of f32 and f64, all of f16 and bf16
 *     ./mufu FOLDER                                  all 73,014,444,032, and those of f16 and bf16
 *     ./mufu FOLDER --quick rcp.approx.f32           one instruction or several
 *     ./mufu FOLDER --of rcp.approx.ftz.f32 02f000cc prints results: operands and results are bits (f64: upper words)
 *
 * FOLDER has tables.txt and hashes.txt. Exit code: 0 all hashes are equal, 1 some are not, 2 wrong usage or files.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

static const u32 NAN_ = 0x7fffffff, INF = 0x7f800000, ONE = 0x3f800000, SIGN = 0x80000000;

/* ---- Tables and polynomial */

enum { RCP, RSQ, SQRT, EX2, LG2, SIN, TANH, TABLES };
static const char *const NAMES[TABLES] = {"RCP", "RSQ", "SQRT", "EX2", "LG2", "SIN", "TANH"};
static const int SEGMENTS[TABLES] = {128, 128, 128, 64, 64, 64, 51};
static struct { int shift[3], bias; i64 c[128][3]; } tables[TABLES];
static u32 squares[1 << 17];

/* The square of 17 bits over 2^19, without what partial products have in columns below 2^19. */
static u32 square(u32 x)
{
    u64 sum = 0;
    for (int i = 0; i < 17; i++)
        for (int j = i; j < 17; j++) {
            int column = i == j ? 2 * i : i + j + 1; /* x_i x_j and x_j x_i are one product, a column higher */
            if (column >= 19 && x >> i & x >> j & 1) sum += (u64)1 << column;
        }
    return (u32)(sum >> 19);
}

/* C0 + C1 X + C2 Q(X), in units of 2^-41. */
static i64 polynomial(int table, u32 segment, u32 x)
{
    const i64 *c = tables[table].c[segment];
    const int *shift = tables[table].shift;
    return c[0] * ((i64)1 << shift[0]) + tables[table].bias + c[1] * x * ((i64)1 << shift[1])
        + c[2] * squares[x] * ((i64)1 << shift[2]);
}

/* ---- The machine's instructions */

static u32 exponent_of(u32 x) { return x >> 23 & 0xff; }
static u32 mantissa_of(u32 x) { return x & 0x7fffff; }
static int is_nan(u32 x) { return (x & ~SIGN) > INF; }

static u32 pack(u32 sign, int exponent, u32 mantissa)
{
    if (exponent <= 0) return sign;
    return exponent >= 255 ? sign | INF : sign | (u32)exponent << 23 | (mantissa & 0x7fffff);
}

/* A magnitude in 2^-41, cut to 24 bits. */
static u32 cut(u32 sign, u64 magnitude)
{
    int top = 0;
    if (!magnitude) return sign;
    while (magnitude >> top > 1) top++;
    return pack(sign, top + 86, (u32)(top >= 23 ? magnitude >> (top - 23) : magnitude << (23 - top)));
}

static u32 mufu_rcp(u32 x)
{
    u32 sign = x & SIGN, m = mantissa_of(x), value;
    int e = (int)exponent_of(x);
    if (is_nan(x)) return NAN_;
    if (e == 0) return sign | INF;
    if (e == 255) return sign;
    value = (u32)(polynomial(RCP, m >> 16, (m & 0xffff) << 1) >> 17); /* 2^24 is 1, of powers of two */
    return value >> 24 ? pack(sign, 254 - e, 0) : pack(sign, 253 - e, value);
}

/* The unbiased exponent's lowest bit, and half of it, rounded down. */
static u32 odd(int e) { return (u32)e & 1; }
static int half(int e) { return (e - (int)odd(e)) / 2; }

static u32 mufu_rsq(u32 x)
{
    u32 m = mantissa_of(x);
    int e = (int)exponent_of(x) - 127;
    if (is_nan(x)) return NAN_;
    if (e == -127) return (x & SIGN) | INF;
    if (x & SIGN) return NAN_;
    if (e == 128) return 0;
    if (!m && !odd(e)) return pack(0, 127 - half(e), 0); /* powers of four, beside the table */
    return pack(0, 126 - half(e), (u32)(polynomial(RSQ, odd(e) << 6 | m >> 17, m & 0x1ffff) >> 17));
}

static u32 mufu_sqrt(u32 x)
{
    u32 m = mantissa_of(x);
    int e = (int)exponent_of(x) - 127;
    if (is_nan(x)) return NAN_;
    if (e == -127) return x & SIGN;
    if (x & SIGN) return NAN_;
    if (e == 128) return INF;
    return pack(0, 127 + half(e), (u32)(polynomial(SQRT, odd(e) << 6 | m >> 17, m & 0x1ffff) >> 18));
}

/* |x| in fixed point with so many bits behind the point, cut. */
static u64 fixed(u32 x, int bits)
{
    int shift = (int)exponent_of(x) - 150 + bits;
    u64 m = exponent_of(x) ? mantissa_of(x) | 0x800000 : 0;
    return shift >= 0 ? m << shift : shift > -24 ? m >> -shift : 0;
}

static u32 mufu_ex2(u32 x)
{
    i64 k;
    u32 f;
    if (is_nan(x)) return NAN_;
    if (exponent_of(x) >= 134) return x & SIGN ? 0 : INF;
    k = (i64)fixed(x, 23);
    if (x & SIGN) k = k & 0x7fffff ? -k - 1 : -k; /* ones' complement, but two's of integers */
    f = (u32)k & 0x7fffff;
    return pack(0, (int)((k - f) / 0x800000) + 127, (u32)(polynomial(EX2, f >> 17, f & 0x1ffff) >> 18));
}

static u32 mufu_lg2(u32 x)
{
    u32 m = mantissa_of(x);
    int e = (int)exponent_of(x) - 127;
    i64 sum;
    if (is_nan(x)) return NAN_;
    if (e == -127) return SIGN | INF;
    if (x & SIGN) return NAN_;
    if (e == 128) return INF;
    if (x == ONE) return 0;
    sum = e * ((i64)1 << 41) + polynomial(LG2, m >> 17, m & 0x1ffff);
    sum = (sum - (sum & 31)) / 32; /* floor, in 2^-36 */
    return sum < 0 ? cut(SIGN, (u64)(-sum - 1) << 5) : cut(0, (u64)sum << 5);
}

/* Of a phase in 2^-25 turns. */
static u32 wave(u32 sign, u32 phase)
{
    u32 p = (phase >> 23 & 1 ? ~phase : phase) & 0x7fffff;
    return cut(sign ^ (phase >> 24 & 1) << 31, (u64)polynomial(SIN, p >> 17, p & 0x1ffff));
}
static u32 phase_of(u32 x) { return exponent_of(x) >= 151 ? 0 : (u32)fixed(x, 25); }
static u32 mufu_sin(u32 x) { return exponent_of(x) == 255 ? NAN_ : wave(x & SIGN, phase_of(x)); }
static u32 mufu_cos(u32 x) { return exponent_of(x) == 255 ? NAN_ : wave(0, phase_of(x) + (1 << 23)); }

static u32 mufu_tanh(u32 x)
{
    /* For each binade from 2^-8 on: how many bits of the mantissa choose the segment, and its first one. */
    static const u32 BITS[11] = {0, 0, 0, 1, 1, 2, 2, 2, 3, 4, 3}, FIRST[11] = {0, 1, 2, 3, 5, 7, 11, 15, 19, 27, 43};
    u32 e = exponent_of(x), m = mantissa_of(x), bits, value;
    if (is_nan(x)) return NAN_;
    if (e < 119) return x;
    if (e >= 130) return (x & SIGN) | ONE;
    bits = BITS[e - 119];
    value = cut(x & SIGN, (u64)polynomial(TANH, FIRST[e - 119] + (m >> (23 - bits)), (m & ((1u << (23 - bits)) - 1)) >> (6 - bits)));
    return e < 126 ? value - ((126 - e) << 23) : value; /* tables of small binades have tanh times a power of two */
}

/* Upper words of f64. */
static u32 mufu_rcp64h(u32 x)
{
    u32 sign = x & SIGN, m = x & 0xfffff, value;
    int e = (int)(x >> 20 & 0x7ff);
    if (e == 2047) return m ? NAN_ : sign;
    if (e == 0) return sign | 0x7ff00000;
    value = (u32)(polynomial(RCP, m >> 13, (m & 0x1fff) << 4) >> 20);
    e = 2045 - e + (int)(value >> 21);
    return e <= 0 ? sign : sign | (u32)e << 20 | (value & 0xfffff);
}

static u32 mufu_rsq64h(u32 x)
{
    u32 m = x & 0xfffff;
    int e = (int)(x >> 20 & 0x7ff) - 1023;
    if (e == 1024 && m) return NAN_;
    if (e == -1023) return (x & SIGN) | 0x7ff00000;
    if (x & SIGN) return NAN_;
    if (e == 1024) return 0;
    if (!m && !odd(e)) return (u32)(1023 - half(e)) << 20;
    return (u32)(1022 - half(e)) << 20 | ((u32)(polynomial(RSQ, odd(e) << 6 | m >> 14, (m & 0x3fff) << 3) >> 20) & 0xfffff);
}

/* ---- PTX: what ptxas puts around them */

static float number(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static u32 bits(float f) { u32 x; memcpy(&x, &f, 4); return is_nan(x) ? NAN_ : x; }
static u32 multiply(u32 a, u32 b) { return bits(number(a) * number(b)); }
static int is_small(u32 x) { return (x & ~SIGN) < 0x800000 || is_nan(x); } /* not |x| >= 2^-126 */
static int is_large(u32 x) { return (x & ~SIGN) > 0x7e800000 && !is_nan(x); }
static const u32 TWO_24 = 0x4b800000, TWO_12 = 0x45800000, TWO_M12 = 0x39800000, QUARTER = 0x3e800000, HALF = 0x3f000000;

static u32 ptx_rcp(u32 x)
{
    u32 scale = is_small(x) ? TWO_24 : is_large(x) ? QUARTER : ONE;
    return multiply(scale, mufu_rcp(multiply(x, scale)));
}
static u32 ptx_rsqrt(u32 x) { return is_small(x) ? multiply(mufu_rsq(multiply(x, TWO_24)), TWO_12) : mufu_rsq(x); }
static u32 ptx_sqrt(u32 x) { return is_small(x) ? multiply(mufu_sqrt(multiply(x, TWO_24)), TWO_M12) : mufu_sqrt(x); }
static u32 ptx_lg2(u32 x) { return is_small(x) ? bits(number(mufu_lg2(multiply(x, TWO_24))) - 24) : mufu_lg2(x); }
static u32 ptx_ex2(u32 x)
{
    u32 root;
    if (number(x) >= -126) return mufu_ex2(x);
    root = mufu_ex2(multiply(x, HALF));
    return multiply(root, root);
}
/* mul.rz by 1/2pi: a product of f64 is exact, and cut to 24 bits it is an f32 or too small to matter. */
static u32 turns(u32 x)
{
    double product = (double)number(x) * (double)number(0x3e22f983);
    u64 word;
    memcpy(&word, &product, 8);
    word &= ~(u64)0x1fffffff;
    memcpy(&product, &word, 8);
    return bits((float)product);
}
static u32 ptx_sin(u32 x) { return mufu_sin(turns(x)); }
static u32 ptx_cos(u32 x) { return mufu_cos(turns(x)); }

static u32 widen(u32 h) /* f16 to f32 */
{
    u32 sign = (h & 0x8000) << 16, h_ = h & 0x7fff;
    if (h_ >= 0x7c00) return sign | INF | h_ << 13;
    return sign | (h_ >= 0x400 ? (h_ << 13) + 0x38000000 : bits((float)h_ / 16777216));
}
static u32 narrow(u32 x) /* f32 to f16, cut */
{
    u32 sign = x >> 16 & 0x8000, m = x & ~SIGN;
    if (m > INF) return 0x7fff;
    if (m >= 0x47800000) return sign | 0x7c00;
    if (m >= 0x38800000) return sign | (m - 0x38000000) >> 13;
    return m >= 0x33800000 ? sign | ((m & 0x7fffff) | 0x800000) >> (126 - (m >> 23)) : sign;
}
static u32 ex2_f16(u32 x) { return narrow(mufu_ex2(widen(x))); }
static u32 tanh_f16(u32 x) { return narrow(mufu_tanh(widen(x))); }
static u32 ex2_bf16(u32 x) { return mufu_ex2(x << 16) >> 16; }
static u32 tanh_bf16(u32 x) { return mufu_tanh(x << 16) >> 16; }

static const struct instruction { const char *name; u32 (*function)(u32); } INSTRUCTIONS[] = {
    {"rcp.approx.f32", ptx_rcp}, {"rcp.approx.ftz.f32", mufu_rcp},
    {"rsqrt.approx.f32", ptx_rsqrt}, {"rsqrt.approx.ftz.f32", mufu_rsq},
    {"sqrt.approx.f32", ptx_sqrt}, {"sqrt.approx.ftz.f32", mufu_sqrt},
    {"ex2.approx.f32", ptx_ex2}, {"ex2.approx.ftz.f32", mufu_ex2},
    {"lg2.approx.f32", ptx_lg2}, {"lg2.approx.ftz.f32", mufu_lg2},
    {"sin.approx.f32", ptx_sin}, {"sin.approx.ftz.f32", ptx_sin},
    {"cos.approx.f32", ptx_cos}, {"cos.approx.ftz.f32", ptx_cos},
    {"tanh.approx.f32", mufu_tanh},
    {"rcp.approx.ftz.f64", mufu_rcp64h}, {"rsqrt.approx.ftz.f64", mufu_rsq64h},
    {"ex2.approx.f16", ex2_f16}, {"tanh.approx.f16", tanh_f16},
    {"ex2.approx.ftz.bf16", ex2_bf16}, {"tanh.approx.bf16", tanh_bf16},
};

/* ---- Files, hashes */

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "mufu: %s: %s\n", what, which);
    exit(2);
}

static FILE *opened(const char *folder, const char *name)
{
    static char path[4096];
    FILE *file;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path || !(file = fopen(path, "r")))
        fail("cannot be read", path);
    return file;
}

static void read_tables(const char *folder)
{
    FILE *file = opened(folder, "tables.txt");
    char line[512], name[16];
    int table = TABLES, found = 0, n, shift[3], bias;
    long long c[3];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || line[0] == '\n') continue;
        if (sscanf(line, "table %15s %d %d %d %d %d", name, &n, &shift[0], &shift[1], &shift[2], &bias) == 6) {
            for (table = 0; table < TABLES && strcmp(NAMES[table], name); table++) { }
            if (table == TABLES || n != SEGMENTS[table]) fail("an unknown table", line);
            for (int i = 0; i < 3; i++)
                if (shift[i] < 0 || shift[i] > 20) fail("a shift out of range", line);
            memcpy(tables[table].shift, shift, sizeof shift);
            tables[table].bias = bias;
        } else if (table < TABLES && sscanf(line, "%d %lld %lld %lld", &n, &c[0], &c[1], &c[2]) == 4 && n >= 0 && n < SEGMENTS[table]) {
            for (int i = 0; i < 3; i++) tables[table].c[n][i] = c[i];
            found++;
        } else {
            fail("not a line of tables", line);
        }
    }
    fclose(file);
    if (found != 627) fail("segments are missing", "tables.txt");
    for (u32 x = 0; x < 1 << 17; x++) squares[x] = square(x);
}

static u64 mix(u64 z) /* the finaliser of SplitMix64 */
{
    z += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static u64 hash(u32 (*function)(u32), u32 first, i64 count)
{
    u64 sum = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : sum)
#endif
    for (i64 i = 0; i < count; i++) {
        u32 x = first + (u32)i;
        sum += mix((u64)x << 32 | function(x));
    }
    return sum;
}

static u32 (*function_of(const char *name))(u32)
{
    for (size_t i = 0; i < sizeof INSTRUCTIONS / sizeof *INSTRUCTIONS; i++)
        if (!strcmp(INSTRUCTIONS[i].name, name)) return INSTRUCTIONS[i].function;
    fail("an unknown instruction", name);
    return 0;
}

int main(int count, char **words)
{
    static char line[1 << 14];
    static u64 sums[320];
    int quick = 0, wanted = 0, wrong = 0, checked = 0;
    FILE *file;
    if (count < 2) fail("usage", "mufu FOLDER [--quick] [INSTRUCTION...], or mufu FOLDER --of INSTRUCTION OPERAND...");
    read_tables(words[1]);
    if (count > 3 && !strcmp(words[2], "--of")) {
        u32 (*function)(u32) = function_of(words[3]);
        for (int i = 4; i < count; i++) {
            u32 x = (u32)strtoul(words[i], NULL, 16);
            printf("%08x %08x\n", x, function(x));
        }
        return 0;
    }
    for (int i = 2; i < count; i++)
        if (!strcmp(words[i], "--quick")) quick = 1; else { function_of(words[i]); wanted++; }
    file = opened(words[1], "hashes.txt");
    while (fgets(line, sizeof line, file)) {
        char *name = line, *rest = strchr(line, ' '), *end;
        int n = 0, bad = 0, done = 0, asked = !wanted;
        if (line[0] == '#' || !rest) continue;
        *rest++ = 0;
        for (int i = 2; i < count; i++) asked |= !strcmp(words[i], name);
        if (!asked) continue;
        for (u64 sum = strtoull(rest, &end, 16); end != rest && n < 320; sum = strtoull(rest, &end, 16)) {
            sums[n++] = sum;
            rest = end;
        }
        if (n != 320 && n != 16) fail("a line of hashes is incomplete", name);
        /* 256 sums of 2^24 operands, or 64 of 2^20 that are 2^26 apart; of halves, 16 of 2^12. */
        for (int i = quick && n == 320 ? 256 : 0; i < (n == 320 && !quick ? 256 : n); i++, done++) {
            u32 first = n == 16 ? (u32)i << 12 : i < 256 ? (u32)i << 24 : (u32)(i - 256) << 26;
            i64 operands = n == 16 ? 1 << 12 : i < 256 ? 1 << 24 : 1 << 20;
            bad += hash(function_of(name), first, operands) != sums[i];
        }
        printf("%-22s %3d of %3d hashes are the card's\n", name, done - bad, done);
        fflush(stdout);
        wrong += bad;
        checked += done;
    }
    fclose(file);
    if (!checked) fail("no hashes", "hashes.txt");
    printf("%d of %d\n", checked - wrong, checked);
    return wrong != 0;
}
