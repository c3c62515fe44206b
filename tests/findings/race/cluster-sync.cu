// The CTAs of a cluster meet.
// check: race
// arch: compute_90
// grid: 4
// block: 64
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(int *in, int *out, int *work)
{
    __shared__ int tile[64];
    auto cluster = cooperative_groups::this_cluster();
    int t = threadIdx.x, g = blockIdx.x * 64 + t;
    work[g] = in[g];
    tile[t] = g;
    cluster.sync();
    int *other = cluster.map_shared_rank(tile, cluster.block_rank() ^ 1);
    out[g] = work[g ^ 64] + other[t];
    cluster.sync();
    tile[t] = out[g ^ 64];
    work[g ^ 64] = tile[t];
}
