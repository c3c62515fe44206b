/* The sum of a tensor core (`mma`) of an NVIDIA H200, bit for bit: a reference, and a check of it against elements.txt,
 * which are what a card gave. docs/tensor-cores.md of texunit explains the rule.
 *
 *     cc -O2 mma.c -lm -o mma                        any C99 compiler
 *     ./mma FOLDER                                   all elements, counted for each product
 *     ./mma FOLDER --differ                          prints those that differ, too
 *
 * FOLDER has elements.txt. Exit code: 0 all elements are equal, 1 some are not, 2 wrong usage or files.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

enum { PLACES = 25, MOST = 64 }; /* places below the largest exponent that a sum keeps; factors in a row */
enum { F16, BF16, TF32, F32, E4M3, S8, U8, S32, F64, NUMBERS };
static const char *const NAMES[NUMBERS] = {"f16", "bf16", "tf32", "f32", "e4m3", "s8", "u8", "s32", "f64"};
/* Bits of exponent and mantissa, and low bits of the register that do not count. */
static const struct { int exponent, mantissa, skipped; } FORMATS[] = {{5, 10, 0}, {8, 7, 0}, {8, 10, 13}, {8, 23, 0}};

/* ---- Numbers */

typedef enum { FINITE, INFINITE, NOT_A_NUMBER } Class;
typedef struct { Class class; int negative, exponent; u64 size; } Value; /* size * 2^(exponent - bits of mantissa) */

static Value value(int format, u32 bits)
{
    int e = FORMATS[format].exponent, m = FORMATS[format].mantissa;
    bits >>= FORMATS[format].skipped;
    u32 all = (1u << e) - 1, field = bits >> m & all, rest = bits & ((1u << m) - 1);
    Value v = {FINITE, bits >> (e + m) & 1, (int)(field ? field : 1) - (int)(all >> 1), rest | (u32)(field != 0) << m};
    if (field == all) v.class = rest ? NOT_A_NUMBER : INFINITE;
    return v;
}

static u32 infinity(int format) { return ((1u << FORMATS[format].exponent) - 1) << FORMATS[format].mantissa; }
static u32 nan_of(int format) { return (1u << (FORMATS[format].exponent + FORMATS[format].mantissa)) - 1; }
static u64 right(u64 n, int by) { return by < 64 ? n >> by : 0; }

/* total * 2^scale as f32, cut toward zero, or as f16, rounded to the nearest, ties to even. Zero has no sign. */
static u32 pack(int format, i64 total, int scale)
{
    int e = FORMATS[format].exponent, m = FORMATS[format].mantissa;
    int lowest = 2 - (1 << (e - 1)) - m, top = 63; /* the exponent of a subnormal's last place; the leading bit's */
    u64 size = total < 0 ? -(u64)total : (u64)total, n;
    if (!size) return 0;
    while (!(size >> top)) top--;
    int unit = top + scale - m > lowest ? top + scale - m : lowest, cut = unit - scale;
    if (cut <= 0) n = size << -cut;
    else {
        n = right(size, cut);
        u64 half = right(size, cut - 1) & 1, below = cut > 63 ? size : size & (((u64)1 << (cut - 1)) - 1);
        if (format == F16 && half && (below || n & 1)) n++;
    }
    if (!n) return 0;
    u64 bits = ((u64)(unit - lowest) << m) + n;
    if (bits > infinity(format)) bits = infinity(format);
    return (u32)bits | (u32)(total < 0) << (e + m);
}

/* ---- The rule: one sum of all products and C */

static u32 sum(int from, int to, int count, const u32 *a, const u32 *b, u32 c)
{
    struct { int negative, scale, exponent; u64 size; } terms[MOST + 1];
    int n = 0, invalid = 0, infinite[2] = {0, 0}, largest = INT32_MIN;
    for (int k = 0; k <= count; k++) {
        int is_c = k == count, m = is_c ? FORMATS[to].mantissa : 2 * FORMATS[from].mantissa;
        Value x = is_c ? value(to, c) : value(from, a[k]), y = is_c ? (Value){FINITE, 0, 0, 1} : value(from, b[k]);
        int negative = x.negative ^ y.negative;
        if (x.class == NOT_A_NUMBER || y.class == NOT_A_NUMBER) invalid = 1;
        else if (x.class == INFINITE || y.class == INFINITE) {
            if ((x.class == FINITE && !x.size) || (y.class == FINITE && !y.size)) invalid = 1;
            else infinite[negative] = 1;
        } else if (x.size && y.size) {
            int exponent = x.exponent + y.exponent;
            terms[n].negative = negative, terms[n].exponent = exponent, terms[n].scale = exponent - m;
            terms[n++].size = x.size * y.size;
            if (exponent > largest) largest = exponent;
        }
    }
    if (invalid || (infinite[0] && infinite[1])) return nan_of(to);
    if (infinite[0] || infinite[1])
        return infinity(to) | (u32)infinite[1] << (FORMATS[to].exponent + FORMATS[to].mantissa);
    i64 total = 0;
    for (int i = 0; i < n; i++) {
        int shift = terms[i].scale - (largest - PLACES);
        u64 size = shift >= 0 ? terms[i].size << shift : right(terms[i].size, -shift);
        total += terms[i].negative ? -(i64)size : (i64)size;
    }
    return pack(to, total, largest - PLACES);
}

/* ---- Instructions that are code of ptxas, and the others */

static float f32_of(u32 bits) { float f; memcpy(&f, &bits, 4); return f; }
static double f64_of(u64 bits) { double d; memcpy(&d, &bits, 8); return d; }

static u32 add(u32 a, u32 b)
{
    float total = f32_of(a) + f32_of(b);
    u32 bits;
    memcpy(&bits, &total, 4);
    return isnan(total) ? nan_of(F32) : bits;
}

/* An e4m3 as the f16 of its value. */
static u32 widened(u32 bits)
{
    u32 sign = (bits & 0x80) << 8, size = bits & 0x7f, field = 8;
    if (size == 0x7f) return 0x7fff;
    if (size >= 8) return sign | ((size << 7) + (8 << 10));
    if (!size) return sign;
    for (; !(size & 8); size <<= 1) field--;
    return sign | (field + 1) << 10 | (size & 7) << 7;
}

/* e4m3 on sm_90: as f16, products with k % 4 of 0 and 1, then the others with that sum, then C by an addition. */
static u32 tiny(int count, const u32 *a, const u32 *b, u32 c)
{
    u32 total = 0, x[MOST], y[MOST];
    for (int part = 0; part < 2; part++) {
        int n = 0;
        for (int k = 0; k < count; k++)
            if (k / 2 % 2 == part) x[n] = widened(a[k]), y[n++] = widened(b[k]);
        total = sum(F16, F32, n, x, y, total);
    }
    return add(total, c);
}

static u32 integer(int from, int to, int limited, int count, const u32 *a, const u32 *b, u32 c)
{
    i64 total = (int32_t)c;
    for (int k = 0; k < count; k++)
        total += (i64)(from == S8 ? (int8_t)a[k] : (int)a[k]) * (to == S8 ? (int8_t)b[k] : (int)b[k]);
    if (limited) total = total > INT32_MAX ? INT32_MAX : total < INT32_MIN ? INT32_MIN : total;
    return (u32)total;
}

/* A chain of fused multiply-adds; of several NaN b's comes out, else c's, else a's. */
static u64 doubles(int count, const u64 *a, const u64 *b, u64 c)
{
    for (int k = 0; k < count; k++) {
        u64 first = isnan(f64_of(b[k])) ? b[k] : isnan(f64_of(c)) ? c : a[k];
        if (isnan(f64_of(first))) c = first | (u64)1 << 51;
        else {
            double d = fma(f64_of(a[k]), f64_of(b[k]), f64_of(c));
            memcpy(&c, &d, 8);
            if (isnan(d)) c = (u64)0xfff8 << 48;
        }
    }
    return c;
}

typedef struct { int k, a, b, d, limited; } Product;

static u64 element(const Product *p, const u64 *a, const u64 *b, u64 c)
{
    u32 x[MOST], y[MOST];
    if (p->d == F64) return doubles(p->k, a, b, c);
    for (int k = 0; k < p->k; k++) x[k] = (u32)a[k], y[k] = (u32)b[k];
    if (p->d == S32) return integer(p->a, p->b, p->limited, p->k, x, y, (u32)c);
    return p->a == E4M3 ? tiny(p->k, x, y, (u32)c) : sum(p->a, p->d, p->k, x, y, (u32)c);
}

/* ---- The file */

static void wrong(const char *why, int line)
{
    fprintf(stderr, "elements.txt:%d: %s\n", line, why);
    exit(2);
}

static int number_of(const char *name)
{
    for (int i = 0; i < NUMBERS; i++)
        if (!strcmp(name, NAMES[i])) return i;
    return -1;
}

static Product product_of(const char *text, int line)
{
    char a[8], b[8], d[8], more[16] = "";
    int m, n, k;
    if (sscanf(text, "product m%dn%dk%d %7s %7s %7s %15s", &m, &n, &k, a, b, d, more) < 6) wrong("no product", line);
    Product p = {k, number_of(a), number_of(b), number_of(d), !strcmp(more, "satfinite")};
    int whole = p.a == S8 || p.a == U8, known = p.a >= 0 && p.a != F32 && p.a != S32;
    int float_sum = p.d == F32 || (p.d == F16 && p.a == F16), right_sum = whole ? p.d == S32 : p.a == F64 ? p.d == F64 : float_sum;
    int alike = whole ? p.b == S8 || p.b == U8 : p.b == p.a;
    if (!known || !right_sum || !alike || k < 1 || k > MOST) wrong("a product that this program does not know", line);
    return p;
}

int main(int count, char **arguments)
{
    int differ = count == 3 && !strcmp(arguments[2], "--differ"), line = 0, have = 0;
    long all = 0, equal = 0, of = 0, good = 0;
    static char text[8192], name[8192];
    Product p = {0, 0, 0, 0, 0};
    if (count < 2 || (count == 3 && !differ) || count > 3) return fprintf(stderr, "usage: mma FOLDER [--differ]\n"), 2;
    snprintf(text, sizeof text, "%s/elements.txt", arguments[1]);
    FILE *file = fopen(text, "r");
    if (!file) return perror(text), 2;
    while (fgets(text, sizeof text, file)) {
        line++;
        text[strcspn(text, "\n")] = 0;
        if (*text == '#' || !*text) continue;
        if (!strncmp(text, "product ", 8)) {
            if (have) printf("%s: %ld of %ld\n", name + 8, good, of);
            p = product_of(text, line);
            strcpy(name, text);
            have = 1, of = good = 0;
            continue;
        }
        if (!have) wrong("an element before its product", line);
        u64 numbers[2 * MOST + 2];
        char *at = text, *end;
        for (int i = 0; i < 2 * p.k + 2; i++, at = end) {
            numbers[i] = strtoull(at, &end, 16);
            if (end == at) wrong("too few numbers", line);
        }
        if (*at) wrong("too many numbers", line);
        u64 got = element(&p, numbers, numbers + p.k, numbers[2 * p.k]), wanted = numbers[2 * p.k + 1];
        if (differ && got != wanted) printf("line %d: %" PRIx64 ", wanted %" PRIx64 "\n", line, got, wanted);
        all++, of++, equal += got == wanted, good += got == wanted;
    }
    fclose(file);
    if (!have) wrong("no product", line);
    printf("%s: %ld of %ld\n%ld of %ld\n", name + 8, good, of, equal, all);
    return equal != all;
}
