// Two algorithms of CUB in the same memory, without a barrier between them.
// check: race
// grid: 1
// block: 64
#include <cub/cub.cuh>

extern "C" __global__ void k(int *in, int *out, int *work)
{
    using Scan = cub::BlockScan<int, 64>;
    __shared__ Scan::TempStorage s;
    int a = in[threadIdx.x], b;
    Scan(s).InclusiveSum(a, a);
    Scan(s).ExclusiveSum(a, b);
    out[threadIdx.x] = a + b;
}
