// Sums of tiles by cooperative groups, and of the block by one of them.
// check: race
// grid: 1
// block: 128
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
extern "C" __global__ void k(int *in, int *out, int *work)
{
    namespace cg = cooperative_groups;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    __shared__ int s[4];
    int t = threadIdx.x;
    int sum = cg::reduce(tile, in[t], cg::plus<int>());
    if (tile.thread_rank() == 0) s[tile.meta_group_rank()] = sum;
    block.sync();
    if (t < 32) {
        sum = cg::reduce(tile, t < 4 ? s[t] : 0, cg::plus<int>());
        if (t == 0) out[0] = sum;
    }
}
