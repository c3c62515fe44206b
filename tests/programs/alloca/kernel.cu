// Local arrays whose size is known at run time, in a loop and in a recursion.
#include <alloca.h>

__device__ __noinline__ int fill(int *a, int n, int seed)
{
    for (int i = 0; i < n; i++)
        a[i] = seed + i * i;
    return n ? a[n - 1] : 0;
}

__device__ __noinline__ int nested(int n)
{
    int *a = (int *)alloca(sizeof(int) * (n + 1));
    fill(a, n + 1, n);
    int below = n > 0 ? nested(n - 1) : 0;
    int sum = below;
    for (int i = 0; i <= n; i++)
        sum += a[i];
    return sum;
}

extern "C" __global__ void allocas(const int *in, int *out)
{
    int t = threadIdx.x, n = in[t] & 31;
    int *a = (int *)alloca(sizeof(int) * n);
    double *b = (double *)alloca(sizeof(double) * (n + 2));
    int last = fill(a, n, t);
    for (int i = 0; i < n + 2; i++)
        b[i] = i * 0.5;
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * (int)(2 * b[n - i]);
    out[3 * t] = last;
    out[3 * t + 1] = sum;
    out[3 * t + 2] = nested(n % 7);
}
