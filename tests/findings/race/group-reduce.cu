// Groups of cooperative groups: tiles, coalesced threads, a reduction and a scan.
// check: race
// grid: 2
// block: 64
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[64];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int t = block.thread_rank();
    s[t] = in[t] + t;
    tile.sync();
    int v = s[t ^ 15];
    int sum = cg::reduce(tile, v, cg::plus<int>());
    int before = cg::exclusive_scan(tile, v);
    if (t % 3 == 0) {
        auto some = cg::coalesced_threads();
        sum += cg::reduce(some, v, cg::greater<int>());
    }
    block.sync();
    s[63 - t] = sum + before;
    block.sync();
    out[blockIdx.x * 64 + t] = s[t];
}
