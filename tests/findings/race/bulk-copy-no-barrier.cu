// Others read what a bulk copy brings without waiting for it.
// check: race
// arch: compute_90
// grid: 1
// block: 64
#define SHARED(x) (unsigned)__cvta_generic_to_shared(x)
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ alignas(16) int tile[64];
    __shared__ unsigned long long full;
    int t = threadIdx.x;
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(SHARED(&full)) : "memory");
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 256;" :: "r"(SHARED(&full)) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" // at A
                     :: "r"(SHARED(tile)), "l"(in), "r"(SHARED(&full)) : "memory");
    }
    out[t] = tile[t]; // finding[race-read-after-write] with A: another lane of its warp, in tile
}
