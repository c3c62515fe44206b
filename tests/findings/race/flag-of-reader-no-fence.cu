// A CTA tells another one by a flag that it has read, without a fence.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    volatile int *flags = work;
    if (blockIdx.x == 0) {
        int old = in[t]; // at A
        __syncthreads();
        if (t == 0) {
            flags[0] = 1;
        }
        __syncthreads();
        out[t] = old;
    } else {
        if (t == 0) {
            while (flags[0] == 0) {}
            __threadfence();
        }
        __syncthreads();
        in[t] = t; // finding[race-write-after-read] with A: another CTA, in in
        __syncthreads();
    }
}
