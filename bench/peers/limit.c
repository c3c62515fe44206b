// What a CPU can do at most: samplers with sizes, formats and modes fixed at compile time, 1.8 weights,
// and float sums. They are no rival but a limit: nobody gets these bits from a GPU, and no sampler
// that takes its texture at run time is that special.
//
//     gcc -O3 -ffast-math -fopenmp -march=skylake-avx512 -mprefer-vector-width=512 -DW=16 limit.c -lm
//     gcc -O3 -ffast-math -fopenmp -mavx2 -mfma -mbmi2 -DW=8 limit.c -lm
//
// -DSCALAR_LOADS loads texels one by one instead of gathering them. Arguments: what it is called,
// seconds for the runs of a case, how the names of cases begin (a,e-level). OMP_NUM_THREADS counts.

#include <immintrin.h>
#include <math.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if W != 8 && W != 16
#error "W, the lanes of a vector, is 8 or 16"
#endif

typedef float vf __attribute__((vector_size(4 * W)));
typedef int32_t vi __attribute__((vector_size(4 * W)));
typedef uint32_t vu __attribute__((vector_size(4 * W)));
typedef uint16_t vh __attribute__((vector_size(4 * W)));

#define INLINE static inline __attribute__((always_inline))

enum { FETCHES = 1 << 22, STRIDE = FETCHES / 4, LEVELS = 11 };

static const float COS = 0.99619470f, SIN = 0.08715574f;

static uint32_t *rgba8, *mipmapped, *cube;
static float *r32f, *rgba32f, *volume, *out;
static int32_t level_start[LEVELS];

// ---- vectors

INLINE vi all(int x) { return (vi){} + x; }
INLINE vf to_float(vi x) { return __builtin_convertvector(x, vf); }

#if W == 16
INLINE vi nearest(vf x) { return (vi)_mm512_cvtps_epi32((__m512)x); }
INLINE vi least(vi a, vi b) { return (vi)_mm512_min_epi32((__m512i)a, (__m512i)b); }
INLINE vi most(vi a, vi b) { return (vi)_mm512_max_epi32((__m512i)a, (__m512i)b); }
#else
INLINE vi nearest(vf x) { return (vi)_mm256_cvtps_epi32((__m256)x); }
INLINE vi least(vi a, vi b) { return (vi)_mm256_min_epi32((__m256i)a, (__m256i)b); }
INLINE vi most(vi a, vi b) { return (vi)_mm256_max_epi32((__m256i)a, (__m256i)b); }
#endif

INLINE vi load(const void *base, vi index)
{
#ifdef SCALAR_LOADS
    vi loaded;
    for (int lane = 0; lane < W; lane++)
        loaded[lane] = ((const int32_t *)base)[index[lane]];
    return loaded;
#elif W == 16
    return (vi)_mm512_i32gather_epi32((__m512i)index, base, 4);
#else
    return (vi)_mm256_i32gather_epi32(base, (__m256i)index, 4);
#endif
}

INLINE vf load_float(const float *base, vi index) { return (vf)load(base, index); }
INLINE vf mix(vf a, vf b, vf share) { return a + (b - a) * share; }

// ---- points

typedef struct { vf x, y, z; } point;

INLINE vu hash(vu x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

INLINE point turned(vu column, vu row, float scale)
{
    vf x = to_float((vi)column), y = to_float((vi)row);
    return (point){(x * COS - y * SIN + 0.5f) * scale, (x * SIN + y * COS + 0.5f) * scale};
}

INLINE point plane(vu i, int is_random, float scale)
{
    if (!is_random)
        return turned(i & 2047, i >> 11, scale);
    vu h = hash(i);
    return (point){to_float((vi)(h & 0xffff)) / 65536, to_float((vi)(h >> 16)) / 65536};
}

INLINE point space(vu i, int is_random)
{
    if (is_random) {
        vu h = hash(i);
        return (point){to_float((vi)(h & 2047)) / 2048, to_float((vi)(h >> 11 & 2047)) / 2048,
                       to_float((vi)(h >> 22)) / 1024};
    }
    point p = turned(i & 127, i >> 7 & 127, 1.0f / 128);
    p.z = (to_float((vi)(i >> 14)) * 0.5f + 0.5f) / 128;
    return p;
}

// ---- axes: the two texels of a linear filter and the share of the second one, in 256ths

typedef struct { vi low, high, share; } axis;

INLINE axis wrapped(vf coordinate, int size)
{
    vi place = nearest(coordinate * (256.0f * size) - 128);
    vi low = place >> 8;
    return (axis){low & (size - 1), (low + 1) & (size - 1), place & 255};
}

INLINE axis clamped(vf coordinate, int size)
{
    vi place = nearest(coordinate * (256.0f * size) - 128);
    vi low = place >> 8, last = all(size - 1);
    return (axis){least(most(low, all(0)), last), least(most(low + 1, all(0)), last), place & 255};
}

INLINE vf share(axis a) { return to_float(a.share) * (1.0f / 256); }

// ---- filters

typedef struct { vf r, g, b, a; } texel;

INLINE texel add(texel a, texel b) { return (texel){a.r + b.r, a.g + b.g, a.b + b.b, a.a + b.a}; }

// Two bytes of a texel in the halves of a word, blended along x: 8.8 bits each.
INLINE vi blend_pairs(vi left, vi right, int shift, vi share_left, vi share_right)
{
    vi mask = all(0x00ff00ff);
    vh l = (vh)((vi)((vu)left >> shift) & mask), r = (vh)((vi)((vu)right >> shift) & mask);
    return (vi)(l * (vh)share_left + r * (vh)share_right);
}

// Texels of four bytes; `rows` are the numbers of their first texels.
INLINE texel bilinear8(const uint32_t *texels, axis x, vi row, vi next_row, vi row_share)
{
    vi p00 = load(texels, row + x.low), p10 = load(texels, row + x.high);
    vi p01 = load(texels, next_row + x.low), p11 = load(texels, next_row + x.high);
    vi right = x.share | x.share << 16, left = all(0x01000100) - right;
    vf below = to_float(row_share) * (1 / (255.0f * 65536)), above = 1 / (255.0f * 256) - below;
    texel t;
    vi upper = blend_pairs(p00, p10, 0, left, right);
    vi lower = blend_pairs(p01, p11, 0, left, right);
    t.r = to_float(upper & 0xffff) * above + to_float(lower & 0xffff) * below;
    t.b = to_float((vi)((vu)upper >> 16)) * above + to_float((vi)((vu)lower >> 16)) * below;
    upper = blend_pairs(p00, p10, 8, left, right);
    lower = blend_pairs(p01, p11, 8, left, right);
    t.g = to_float(upper & 0xffff) * above + to_float(lower & 0xffff) * below;
    t.a = to_float((vi)((vu)upper >> 16)) * above + to_float((vi)((vu)lower >> 16)) * below;
    return t;
}

INLINE vf bilinear(const float *texels, axis x, vi row, vi next_row, vf row_share)
{
    vf s = share(x);
    vf upper = mix(load_float(texels, row + x.low), load_float(texels, row + x.high), s);
    vf lower = mix(load_float(texels, next_row + x.low), load_float(texels, next_row + x.high), s);
    return mix(upper, lower, row_share);
}

// ---- cases

INLINE texel a_wrap(vu i, int is_random)
{
    point p = plane(i, is_random, 1.0f / 1024);
    axis x = wrapped(p.x, 1024), y = wrapped(p.y, 1024);
    return bilinear8(rgba8, x, y.low << 10, y.high << 10, y.share);
}

INLINE texel a_clamp(vu i, int is_random)
{
    point p = plane(i, is_random, 1.0f / 2048);
    axis x = clamped(p.x, 1024), y = clamped(p.y, 1024);
    return bilinear8(rgba8, x, y.low << 10, y.high << 10, y.share);
}

INLINE texel b(vu i, int is_random)
{
    point p = plane(i, is_random, 1.0f / 1024);
    axis x = wrapped(p.x, 1024), y = wrapped(p.y, 1024);
    return (texel){bilinear(r32f, x, y.low << 10, y.high << 10, share(y))};
}

INLINE texel d(vu i, int is_random)
{
    point p = space(i, is_random);
    axis x = wrapped(p.x, 128), y = wrapped(p.y, 128), z = wrapped(p.z, 128);
    vf front = bilinear(volume, x, (z.low << 14) + (y.low << 7), (z.low << 14) + (y.high << 7), share(y));
    vf back = bilinear(volume, x, (z.high << 14) + (y.low << 7), (z.high << 14) + (y.high << 7), share(y));
    return (texel){mix(front, back, share(z))};
}

INLINE texel e_level(vu i, int is_random)
{
    point p = plane(i, is_random, 1.0f / 1024);
    vf below = p.y - to_float(nearest(p.y - 0.5f));
    vi level = least(most(nearest((is_random ? p.x * 5 : below * 2) * 256), all(0)), all((LEVELS - 2) << 8));
    texel t[2];
    for (int k = 0; k < 2; k++) {
        vi number = (level >> 8) + k, size = all(1024) >> number, start = load(level_start, number);
        vf scale = to_float(size << 8);
        vi u = nearest(p.x * scale - 128), v = nearest(p.y * scale - 128);
        axis x = {u >> 8 & (size - 1), ((u >> 8) + 1) & (size - 1), u & 255};
        vi row = v >> 8 & (size - 1), next = ((v >> 8) + 1) & (size - 1);
        vi shift = 10 - number;
        t[k] = bilinear8(mipmapped, x, start + (row << shift), start + (next << shift), v & 255);
    }
    vf s = to_float(level & 255) * (1.0f / 256);
    return (texel){mix(t[0].r, t[1].r, s), mix(t[0].g, t[1].g, s), mix(t[0].b, t[1].b, s),
                   mix(t[0].a, t[1].a, s)};
}

INLINE vi magnitude(vf x) { return (vi)x & 0x7fffffff; }
INLINE vi choose(vi mask, vi yes, vi no) { return (mask & yes) | (~mask & no); }

// The largest coordinate says which face; edges are not filtered across.
INLINE texel f(vu i, int is_random)
{
    point p = plane(i, 0, 1.0f / 1024);
    vf x = p.x * 2 - 1, y = p.y * 2 - 1, z = (vf){} + 0.7f;
    if (is_random) {
        p = space(i, 1);
        x = p.x - 0.5f, y = p.y - 0.5f, z = p.z - 0.5f;
    }
    // Floats of one sign are ordered like their bits.
    vi ax = magnitude(x), ay = magnitude(y), az = magnitude(z);
    vi is_z = (az >= ax) & (az >= ay), is_y = ~is_z & (ay >= ax);
    vi major = choose(is_z, (vi)z, choose(is_y, (vi)y, (vi)x));
    vi sign = major & INT32_MIN, minus = all(INT32_MIN);
    vi s = choose(is_z, (vi)x ^ sign, choose(is_y, (vi)x, (vi)z ^ sign ^ minus));
    vi t = choose(is_y, (vi)z ^ sign, (vi)y ^ minus);
    vi face = (is_z & 4) + (is_y & 2) + (vi)((vu)sign >> 31);
    vf half = 0.5f / (vf)(major & 0x7fffffff);
    axis u = clamped((vf)s * half + 0.5f, 512), v = clamped((vf)t * half + 0.5f, 512);
    vi first = face << 18;
    return bilinear8(cube, u, first + (v.low << 9), first + (v.high << 9), v.share);
}

INLINE texel g(vu i, int is_random)
{
    point p = plane(i, is_random, 1.0f / 1024);
    vi x = nearest(p.x * 1024 - 0.5f) & 1023, y = nearest(p.y * 1024 - 0.5f) & 1023;
    vi t = load(rgba8, (y << 10) + x);
    const float unit = 1 / 255.0f;
    return (texel){to_float(t & 255) * unit, to_float(t >> 8 & 255) * unit,
                   to_float(t >> 16 & 255) * unit, to_float((vi)((vu)t >> 24)) * unit};
}

INLINE vu lanes_from(int first)
{
    vu lanes;
    for (int lane = 0; lane < W; lane++)
        lanes[lane] = lane;
    return lanes + (uint32_t)first;
}

// Four fetches are summed up; the channels of W sums lie one after the other.
#define KERNEL(fetch, random) \
    static void fetch##_##random(void) \
    { \
        _Pragma("omp parallel for schedule(static)") \
        for (int first = 0; first < STRIDE; first += W) { \
            texel sum = {}; \
            for (int k = 0; k < 4; k++) \
                sum = add(sum, fetch(lanes_from(first + k * STRIDE), random)); \
            *(texel *)(out + 4 * first) = sum; \
        } \
    }
#define KERNELS(fetch) KERNEL(fetch, 0) KERNEL(fetch, 1)

KERNELS(a_wrap) KERNELS(a_clamp) KERNELS(b) KERNELS(d) KERNELS(e_level) KERNELS(f) KERNELS(g)

// Texels of 16 bytes: a load of one texel for each lane, weights of all lanes at once.
INLINE void c(int is_random)
{
#pragma omp parallel for schedule(static)
    for (int first = 0; first < STRIDE; first += W) {
        __m128 sum[W] = {};
        for (int k = 0; k < 4; k++) {
            point p = plane(lanes_from(first + k * STRIDE), is_random, 1.0f / 1024);
            axis x = wrapped(p.x, 1024), y = wrapped(p.y, 1024);
            vf right = share(x), below = share(y);
            vf weight[4] = {(1 - right) * (1 - below), right * (1 - below), (1 - right) * below, right * below};
            vi upper = y.low << 10, lower = y.high << 10;
            vi index[4] = {upper + x.low, upper + x.high, lower + x.low, lower + x.high};
            for (int lane = 0; lane < W; lane++)
                for (int corner = 0; corner < 4; corner++) {
                    __m128 loaded = _mm_load_ps(rgba32f + 4 * index[corner][lane]);
                    sum[lane] = _mm_fmadd_ps(loaded, _mm_set1_ps(weight[corner][lane]), sum[lane]);
                }
        }
        for (int lane = 0; lane < W; lane++)
            _mm_store_ps(out + 4 * (first + lane), sum[lane]);
    }
}

static void c_0(void) { c(0); }
static void c_1(void) { c(1); }

static const struct { const char *name; void (*run)(void); } cases[] = {
    {"a-wrap-coh", a_wrap_0}, {"a-wrap-rand", a_wrap_1}, {"a-clamp-coh", a_clamp_0},
    {"a-clamp-rand", a_clamp_1}, {"b-coh", b_0}, {"b-rand", b_1}, {"c-coh", c_0}, {"c-rand", c_1},
    {"d-coh", d_0}, {"d-rand", d_1}, {"e-level-coh", e_level_0}, {"e-level-rand", e_level_1},
    {"f-coh", f_0}, {"f-rand", f_1}, {"g-coh", g_0}, {"g-rand", g_1},
};

// ---- measuring

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        exit(1);
    return memory;
}

static uint32_t *noise(size_t texels)
{
    uint32_t *memory = allocate(texels * 4), state = 1;
    for (size_t i = 0; i < texels; i++)
        memory[i] = state = state * 1664525 + 1013904223;
    return memory;
}

static float *float_noise(size_t texels)
{
    uint32_t *bits = noise(texels);
    float *memory = (float *)allocate(texels * 4);
    for (size_t i = 0; i < texels; i++)
        memory[i] = (bits[i] >> 8) / 16777216.0f;
    free(bits);
    return memory;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static int is_wanted(const char *name, const char *begins)
{
    if (!*begins)
        return 1;
    for (; *begins; begins += strcspn(begins, ",") + (begins[strcspn(begins, ",")] == ',')) {
        if (!strncmp(name, begins, strcspn(begins, ",")))
            return 1;
    }
    return 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int count, char **words)
{
    const char *name = count > 1 ? words[1] : "limit", *begins = count > 3 ? words[3] : "";
    double time_of_a_case = count > 2 ? atof(words[2]) : 0.7;
    int32_t size = 0;
    for (int level = 0; level < LEVELS; level++) {
        level_start[level] = size;
        size += (1024 >> level) * (1024 >> level);
    }
    rgba8 = noise(1 << 20), mipmapped = noise(size), cube = noise(6 << 18);
    r32f = float_noise(1 << 20), rgba32f = float_noise(4 << 20), volume = float_noise(2 << 20);
    out = (float *)noise(4 * STRIDE);
    printf("{\"peer\": \"%s\", \"version\": \"gcc %s, %d lanes\"}\n", name, __VERSION__, W);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        enum { MOST_RUNS = 10000 };
        static double seconds[MOST_RUNS];
        int runs = 0;
        if (!is_wanted(cases[n].name, begins))
            continue;
        cases[n].run();
        for (double end = now() + time_of_a_case; runs < MOST_RUNS && (runs < 3 || now() < end); runs++) {
            double start = now();
            cases[n].run();
            seconds[runs] = now() - start;
        }
        qsort(seconds, runs, sizeof *seconds, ascending);
        printf("{\"peer\": \"%s\", \"case\": \"%s\", \"threads\": %d, \"mfetch_per_s\": %.3f, "
               "\"median_mfetch_per_s\": %.3f}\n",
               name, cases[n].name, omp_get_max_threads(), FETCHES / seconds[0] / 1e6,
               FETCHES / seconds[runs / 2] / 1e6);
        fflush(stdout);
    }
}
