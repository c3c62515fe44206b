// Words of another tile.
// check: race
// grid: 1
// block: 64
#include <cooperative_groups.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    auto tile = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t]; // at A
    tile.sync();
    out[t] = s[t ^ 31]; // finding[race-read-after-write] with A: another lane of its warp, in s
}
