// A table that is copied once, and read while other warps copy more and more.
// check: race
// grid: 1
// block: 64
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int table[32], s[64];
    int t = threadIdx.x, sum = 0;
    if (t < 32) {
        __pipeline_memcpy_async(&table[t], in + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }
    __syncthreads();
    for (int i = 0; i < 150; i++) {
        __pipeline_memcpy_async(&s[t], in + 64 + t, 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[63 - t] + table[31 - t % 32];
        __syncthreads();
    }
    out[t] = sum;
}
