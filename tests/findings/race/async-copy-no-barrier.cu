// Each thread has waited for its own only.
// check: race
// grid: 1
// block: 64
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int4 s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], (int4 *)in + t, 16); // at A // finding[race-write-after-read] with B: another warp of its CTA, in s
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[t] = s[63 - t].x; // at B // finding[race-read-after-write] with A: another warp of its CTA, in s
}
