// An atomic is read by a volatile load.
// check: race
// grid: 2
// block: 64
// any order
extern "C" __global__ void k(int *in, int *out, int *work)
{
    atomicAdd(work, 1);
    if (threadIdx.x == 0) out[blockIdx.x] = *(volatile int *)work;
}
