// They do not.
// check: race
// arch: compute_90
// grid: 2
// block: 64
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(int *in, int *out, int *work)
{
    int t = threadIdx.x, g = blockIdx.x * 64 + t;
    work[g] = in[g]; // at A
    __syncthreads();
    out[g] = work[g ^ 64]; // at B // finding[race-read-after-write] with A: another CTA, in work
    cooperative_groups::this_cluster().sync();
}
