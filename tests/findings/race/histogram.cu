// Counts by atomics in shared memory.
// check: race
// grid: 4
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    for (int i = 0; i < 4; i++) atomicAdd(&s[(in[t] + t * i) & 63], 1);
    __syncthreads();
    atomicAdd(&out[t], s[t]);
}
