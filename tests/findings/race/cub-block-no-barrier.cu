// Two algorithms of CUB in the same memory, without a barrier between them.
// check: race
// grid: 1
// block: 64
#include <cub/cub.cuh>

extern "C" __global__ void k(int *in, int *out, int *work)
{
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ Reduce::TempStorage s;
    int a = in[threadIdx.x];
    int sum = Reduce(s).Sum(a); // at A
    int most = Reduce(s).Reduce(a, cuda::maximum<>()); // finding[race-write-after-read] with A: another warp of its CTA, in s
    if (threadIdx.x == 0) out[0] = sum + most;
}
