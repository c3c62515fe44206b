// One CTA of a cluster tells the other by the other's mbarrier that its data is there.
// check: race
// arch: compute_90
// grid: 2
// block: 64
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(2, 1, 1) k(int *in, int *out, int *work)
{
    __shared__ unsigned long long full;
    int t = threadIdx.x, rank = cooperative_groups::this_cluster().block_rank();
    unsigned own = __cvta_generic_to_shared(&full), there;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(own) : "memory");
    cooperative_groups::this_cluster().sync();
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(there) : "r"(own));
    if (rank == 0) {
        work[t] = in[t];
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(there) : "memory");
    } else {
        unsigned done;
        do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                        : "=r"(done) : "r"(own) : "memory");
        while (!done);
        out[t] = work[63 - t];
    }
    cooperative_groups::this_cluster().sync();
}
