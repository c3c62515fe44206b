// What random programs are written with, for nvcc as CUDA C++ and for g++ as functions of one thread. Everything has
// defined behaviour: sums, products and shifts are those of unsigned numbers, divisors are not 0 or -1, and floats
// that become integers are inside their range.
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

#ifdef __CUDACC__
#define DEVICE static __device__
#define INLINE static __device__ __forceinline__
#define NOINLINE static __device__ __noinline__
#else
#include <math.h>
#include <stdio.h>
#include <string.h>
#define DEVICE static
#define INLINE static inline
#define NOINLINE static __attribute__((noinline))

static u32 __popc(u32 a) { return __builtin_popcount(a); }
static u32 __popcll(u64 a) { return __builtin_popcountll(a); }
static u32 __clz(u32 a) { return a ? __builtin_clz(a) : 32; }
static u32 __clzll(u64 a) { return a ? __builtin_clzll(a) : 64; }
static u32 __ffs(u32 a) { return __builtin_ffs(a); }
static u32 __umulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
static u64 __umul64hi(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static u32 __funnelshift_l(u32 lo, u32 hi, u32 n) { return (u32)(((u64)hi << 32 | lo) << (n & 31) >> 32); }
static u32 __byte_perm(u32 a, u32 b, u32 s) {
    u64 both = (u64)b << 32 | a;
    u32 d = 0;
    for (int i = 0; i < 4; i++) d |= (u32)(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return d;
}
static u32 __brev(u32 a) {
    u32 d = 0;
    for (int i = 0; i < 32; i++) d |= (a >> i & 1) << (31 - i);
    return d;
}

// Atomics of a program with one thread.
#define ATOMIC(name, change) \
    template <class T, class U> static T name(T *p, U b) { T a = *p; *p = (T)(change); return a; }
ATOMIC(atomicAdd, a + (T)b)
ATOMIC(atomicMin, a < (T)b ? a : (T)b)
ATOMIC(atomicMax, a > (T)b ? a : (T)b)
ATOMIC(atomicAnd, a & (T)b)
ATOMIC(atomicOr, a | (T)b)
ATOMIC(atomicXor, a ^ (T)b)
ATOMIC(atomicInc, a >= (T)b ? 0 : a + 1)
ATOMIC(atomicDec, a == 0 || a > (T)b ? (T)b : a - 1)
template <class T> static T atomicCAS(T *p, T compare, T value) { T a = *p; if (a == compare) *p = value; return a; }
#endif

// A sum by comparing and swapping.
template <class T> DEVICE void add_by_cas(T *p, T b) {
    T old = *p, seen;
    do {
        seen = old;
        old = atomicCAS(p, seen, (T)(seen + b));
    } while (old != seen);
}

template <class T> INLINE T divide(T a, T b) { return b == 0 || b == (T)-1 ? a : (T)(a / b); }
template <class T> INLINE T modulo(T a, T b) { return b == 0 || b == (T)-1 ? (T)0 : (T)(a % b); }
template <class T, class F> INLINE T integer(F x, F low, F high) { return x > low && x < high ? (T)x : (T)0; }
template <class T> INLINE T least(T a, T b) { return a < b ? a : b; }
template <class T> INLINE T most(T a, T b) { return a > b ? a : b; }

// Bits of a float. Those of a NaN are nobody's business.
INLINE u32 bits(f32 x) {
#ifdef __CUDACC__
    return x != x ? 0x7fc00000u : __float_as_uint(x);
#else
    u32 b;
    memcpy(&b, &x, 4);
    return x != x ? 0x7fc00000u : b;
#endif
}
INLINE u64 bits(f64 x) {
#ifdef __CUDACC__
    return x != x ? 0x7ff8000000000000ull : (u64)__double_as_longlong(x);
#else
    u64 b;
    memcpy(&b, &x, 8);
    return x != x ? 0x7ff8000000000000ull : b;
#endif
}
INLINE f32 number(u32 b) {
#ifdef __CUDACC__
    return __uint_as_float(b);
#else
    f32 x;
    memcpy(&x, &b, 4);
    return x;
#endif
}

struct alignas(16) Quad {
    u32 x, y, z, w;
};
struct alignas(8) Two {
    u32 x, y;
};

// What the lanes of a warp do together, between phases: g++ has all threads of the CTA in an array.
#ifdef __CUDACC__
#define SHUFFLE(to, from, device, host) me.to = device;
#define BALLOT(to, from, than) me.to = __ballot_sync(~0u, me.from > than);
#define VOTE(to, from, than) me.to = __any_sync(~0u, me.from > than) ? 3 : 4 + (__all_sync(~0u, me.from < than) != 0);
#define SUM(to, from) me.to = __reduce_add_sync(~0u, me.from);
#define MATCH(to, from) me.to = __match_any_sync(~0u, me.from & 3);
#else
#define EACH for (u32 t = 0; t < sizeof me / sizeof *me; t++)
#define LANES(result, of) \
    EACH { \
        u32 d = 0; \
        for (u32 i = t & ~31u; i < (t & ~31u) + 32; i++) of; \
        me[t].result; \
    }
#define SHUFFLE(to, from, device, host) EACH me[t].to = me[host].from;
#define BALLOT(to, from, than) LANES(to = d, d |= (u32)(me[i].from > than) << (i & 31))
#define VOTE(to, from, than) \
    LANES(to = (d & 1) ? 3 : 4 + !(d & 2), d |= (me[i].from > than ? 1 : 0) | (me[i].from < than ? 0 : 2))
#define SUM(to, from) LANES(to = d, d += me[i].from)
#define MATCH(to, from) LANES(to = d, d |= (u32)((me[i].from & 3) == (me[t].from & 3)) << (i & 31))
#endif
