// Bulk copies, for which threads wait by an mbarrier, or the thread that has made them by its group.
// check: race
// arch: compute_90
// grid: 2
// block: 64
#define SHARED(x) (unsigned)__cvta_generic_to_shared(x)
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ alignas(16) int tile[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x, g = blockIdx.x * 64 + t;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(SHARED(&full)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" :: "r"(SHARED(&full)) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];"
                     :: "r"(SHARED(tile)), "l"(in + blockIdx.x * 64), "r"(SHARED(&full)) : "memory");
    }
    __syncthreads();
    unsigned done;
    do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                    : "=r"(done) : "r"(SHARED(&full)) : "memory");
    while (!done);
    tile[t] += 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;"
                     :: "l"(out + blockIdx.x * 64), "r"(SHARED(tile)) : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    work[g] = out[blockIdx.x * 64 + 63 - t];
}
