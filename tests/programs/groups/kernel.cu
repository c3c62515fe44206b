// Cooperative groups: tiles of eight threads, the threads that happen to be together in a branch, the CTA's barrier.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int *in, int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    int v = in[block.thread_rank()], *o = out + block.thread_rank() * 6, sum = v;
    for (int d = tile.size() / 2; d > 0; d /= 2)
        sum += tile.shfl_xor(sum, d);
    o[0] = sum;
    o[1] = tile.meta_group_rank() * 100 + tile.thread_rank();
    o[2] = tile.ballot(v > 0);
    o[3] = tile.any(v == 5);
    block.sync();
    if (v & 1) {
        cg::coalesced_group odd = cg::coalesced_threads();
        o[4] = odd.size() * 100 + odd.thread_rank();
        o[5] = odd.shfl(v, odd.size() - 1);
    } else {
        cg::coalesced_group even = cg::coalesced_threads();
        o[4] = even.size() * 10000 + even.thread_rank();
        o[5] = even.shfl_up(v, 1);
    }
}
