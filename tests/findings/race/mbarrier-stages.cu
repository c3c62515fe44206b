// A warp fills stages, others read them: two mbarriers for each.
// check: race
// grid: 1
// block: 96
__device__ void wait(unsigned long long *m, int parity)
{
    unsigned at = __cvta_generic_to_shared(m), done;
    do asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                    : "=r"(done) : "r"(at), "r"(parity) : "memory");
    while (!done);
}
__device__ void arrive(unsigned long long *m)
{
    unsigned at = __cvta_generic_to_shared(m);
    asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" :: "r"(at) : "memory");
}
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int data[2][32];
    __shared__ unsigned long long full[2], free_[2];
    int t = threadIdx.x, lane = t % 32, sum = 0;
    if (t < 2) {
        unsigned a = __cvta_generic_to_shared(&full[t]), b = __cvta_generic_to_shared(&free_[t]);
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(a) : "memory");
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" :: "r"(b) : "memory");
    }
    __syncthreads();
    if (t < 32) {
        for (int i = 0; i < 6; i++) {
            int s = i % 2;
            if (i >= 2) wait(&free_[s], (i / 2 - 1) & 1);
            data[s][lane] = in[i * 32 + lane];
            arrive(&full[s]);
        }
    } else {
        for (int i = 0; i < 6; i++) {
            int s = i % 2;
            wait(&full[s], (i / 2) & 1);
            sum += data[s][31 - lane];
            arrive(&free_[s]);
        }
        out[t] = sum;
    }
}
