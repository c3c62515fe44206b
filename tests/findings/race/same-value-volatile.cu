// A flag that many threads set, volatile.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    if (in[t] == 0) *(volatile int *)work = 1;
}
