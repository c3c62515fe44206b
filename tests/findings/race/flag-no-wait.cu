// Only one thread waits.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    volatile int *flag = work;
    if (blockIdx.x == 0) {
        work[1 + t] = in[t]; // at A
        __syncthreads();
        if (t == 0) {
            __threadfence();
            *flag = 1;
        }
    } else {
        if (t == 0) {
            while (*flag == 0) {}
            __threadfence();
        }
        out[t] = work[64 - t]; // finding[race-read-after-write] with A: another CTA, in work
    }
}
