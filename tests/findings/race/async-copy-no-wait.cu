// A barrier does not wait for copies.
// check: race
// grid: 1
// block: 64
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int4 s[64];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], (int4 *)in + t, 16); // at A
    __pipeline_commit();
    __syncthreads();
    out[t] = s[63 - t].x; // finding[race-read-after-write] with A: another warp of its CTA, in s
}
