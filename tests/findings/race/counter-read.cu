// An atomic is read by a plain load.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    atomicAdd(work, 1); // at A // finding[race-write-after-read] with B: another warp of its CTA, in work
    if (threadIdx.x == 0) out[blockIdx.x] = work[0]; // at B // finding[race-read-after-write] with A: another lane of its warp, in work
}
