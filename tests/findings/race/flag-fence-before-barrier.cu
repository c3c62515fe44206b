// Each thread has a fence, and then one of them sets the flag.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    volatile int *flag = work;
    if (blockIdx.x == 0) {
        work[1 + t] = in[t];
        __threadfence();
        __syncthreads();
        if (t == 0) *flag = 1;
    } else {
        if (t == 0) while (*flag == 0) {}
        __syncthreads();
        __threadfence();
        out[t] = work[64 - t];
    }
}
