// The group before the last is waited for.
// check: race
// grid: 1
// block: 64
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int4 s[2][64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[0][t], (int4 *)in + t, 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&s[1][t], (int4 *)in + 64 + t, 16); // at A
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[t] = s[0][63 - t].x;
    out[t + 64] = s[1][63 - t].x; // finding[race-read-after-write] with A: another warp of its CTA, in s
    __pipeline_wait_prior(0);
}
