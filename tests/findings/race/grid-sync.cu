// All CTAs meet.
// check: race
// grid: 4
// block: 64
// cooperative
#include <cooperative_groups.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    auto grid = cooperative_groups::this_grid();
    int g = blockIdx.x * 64 + threadIdx.x;
    work[g] = in[g];
    grid.sync();
    out[g] = work[255 - g];
    grid.sync();
    work[g] = out[(g + 64) % 256];
}
