// Two stages of copies that are filled again while others read.
// check: race
// grid: 1
// block: 64
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], in + t, 4);
    __pipeline_commit();
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        if (i < 7) __pipeline_memcpy_async(&s[(i + 1) & 1][t], in + 64 * (i + 1) + t, 4); // finding[race-write-after-read] with B // at C
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        sum += s[i & 1][63 - t]; // at B // finding[race-read-after-write] with C: another warp of its CTA, in s
    }
    out[t] = sum;
}
