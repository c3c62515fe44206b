// Places are given out by an atomic.
// check: race
// grid: 3
// block: 64
// any order
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int i = atomicAdd(work, 1); // right[race-write-after-write]: atomics
    out[i] = threadIdx.x;
}
