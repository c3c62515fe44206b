// Cooperative groups of several warps and of the library's collectives: tiles of 64 and of the whole CTA, with memory of
// their own and with the reserved shared memory; reductions, scans, partitions by a label.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

extern "C" __global__ void block_groups(const int *in, int *out)
{
    __shared__ cg::block_tile_memory<128> memory;
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block kept = cg::this_thread_block(memory);
    int t = threadIdx.x, v = in[t], *o = out + 8 * t;
    auto warp = cg::tiled_partition<32>(block);
    auto quad = cg::tiled_partition<4>(warp);
    auto wide = cg::tiled_partition<64>(kept);
    auto whole = cg::tiled_partition<128>(block);
    o[0] = cg::reduce(warp, v, cg::plus<int>());
    o[1] = cg::reduce(quad, v, cg::less<int>());
    o[2] = cg::inclusive_scan(warp, v);
    o[3] = cg::exclusive_scan(quad, v, cg::plus<int>());
    o[4] = cg::reduce(wide, v, cg::greater<int>());
    o[5] = cg::reduce(whole, v, cg::plus<int>());
    o[6] = 0;
    if (v & 1) {
        auto odd = cg::coalesced_threads();
        auto same = cg::labeled_partition(odd, (v >> 1) & 3);
        o[6] = cg::reduce(odd, v, cg::plus<int>()) * 100 + same.size();
    }
    o[7] = whole.meta_group_size() * 1000 + wide.meta_group_rank() * 100 + wide.num_threads();
}
