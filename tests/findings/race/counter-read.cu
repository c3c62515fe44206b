// An atomic is read by a plain load.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    atomicAdd(work, 1); // finding[race-write-after-read]
    if (threadIdx.x == 0) out[blockIdx.x] = work[0]; // finding[race-read-after-write]
}
