// Behind the wait there is another copy, for which nobody waits.
// check: race
// grid: 1
// block: 32
#include <cuda_pipeline.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int a[32], b[32];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&a[t], in + t, 4);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __pipeline_memcpy_async(&b[t], in + 32 + t, 4); // at A
    out[t] = a[t] + b[t]; // finding[race-read-after-write] with A: the thread has not waited for
}
