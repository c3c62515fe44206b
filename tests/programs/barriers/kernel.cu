// Barriers that reduce (count, and, or), named barriers for half the CTA, and threads that have left.

extern "C" __global__ void barriers(const int *in, int *out, int n)
{
    __shared__ int slot[2];
    int t = threadIdx.x, half = t / 64, v = in[t];
    int count = __syncthreads_count(v > 0);
    int every = __syncthreads_and(v > -50) != 0;
    int some = __syncthreads_or(v == 12345) != 0;
    if (t % 64 == 0) slot[half] = 1000 * half;
    asm volatile("bar.sync %0, 64;" :: "r"(half + 1) : "memory");
    int start = slot[half];
    out[t] = count + every * 1000 + some * 2000 + start * 10;
    if (t >= n)
        return;
    // The threads that left count as arrived.
    __syncthreads();
    if (t == 0) slot[0] = 7;
    __syncthreads();
    out[t] += slot[0] * 100000;
}
