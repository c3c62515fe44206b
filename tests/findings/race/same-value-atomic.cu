// All threads that find something set a flag, by an atomic.
// check: race
// grid: 3
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    if (in[t] == 0) atomicOr(work, 1); // right[race-same-value]: atomics do not race
}
