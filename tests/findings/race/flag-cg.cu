// A flag in the cache that all share, as CUB waited before 2.1.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        work[1 + t] = in[t];
        __syncthreads();
        if (t == 0) {
            __threadfence();
            __stcg(work, 1);
        }
    } else {
        if (t == 0) {
            int flag;
            do asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(flag) : "l"(work) : "memory");
            while (flag == 0);
            __threadfence();
        }
        __syncthreads();
        out[t] = work[64 - t];
    }
}
