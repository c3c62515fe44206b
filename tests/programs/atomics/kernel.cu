// Every atomic operation, on global and on shared memory; the results do not depend on the order of the threads.

typedef unsigned long long u64;

extern "C" __global__ void atomics(const int *in, int *s, unsigned *u, u64 *w, long long *l, float *f, unsigned *old)
{
    __shared__ int ss[6];
    __shared__ unsigned su[4];
    int t = threadIdx.x, v = in[t];
    if (t < 6) ss[t] = t == 3 ? -1 : 0;
    if (t < 4) su[t] = 0;
    __syncthreads();

    atomicAdd(&s[0], v); atomicSub(&s[1], v); atomicMin(&s[2], v); atomicMax(&s[3], v);
    atomicAnd(&s[4], v | 0x0ff0); atomicOr(&s[5], v & 0xff); atomicXor(&s[6], v);
    atomicMin(&u[0], (unsigned)v); atomicMax(&u[1], (unsigned)v);
    atomicInc(&u[2], 9); atomicDec(&u[3], 6);
    atomicAdd(&w[0], (u64)v << 20); atomicMin(&w[1], (u64)v << 32); atomicMax(&w[2], (u64)(unsigned)v << 30);
    atomicAnd(&w[3], ~((u64)1 << (t % 64))); atomicOr(&w[4], (u64)1 << (t % 64)); atomicXor(&w[5], (u64)v * 0x100000001ull);
    atomicMin(&l[0], (long long)v * 0x100000000ll); atomicMax(&l[1], (long long)v * 0x100000000ll);
    atomicAdd(&f[0], (float)v);
    atomicAdd(&ss[0], v); atomicMin(&ss[1], v); atomicMax(&ss[2], v); atomicAnd(&ss[3], ~v); atomicXor(&ss[4], v);
    atomicInc(&su[0], 12); atomicDec(&su[1], 5); atomicOr(&su[2], 1u << (v & 31));

    // A product by compare-and-swap, and tickets: each thread's old value is one of 0..n-1, once.
    unsigned seen = su[3], want;
    do {
        want = seen;
        seen = atomicCAS(&su[3], want, want + (unsigned)(v & 15) * 3);
    } while (seen != want);
    atomicExch(&old[atomicAdd(&u[4], 1u)], 77u);
    u64 now = w[6], guess;
    do {
        guess = now;
        now = atomicCAS(&w[6], guess, guess * 3 + 1);
    } while (now != guess);
    if (t == 5) atomicExch(&w[7], 0x123456789abcdef0ull);

    __syncthreads();
    if (t < 6) s[8 + t] = ss[t];
    if (t < 4) u[8 + t] = su[t];
}
