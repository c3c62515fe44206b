// Threads store different values.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    work[0] = threadIdx.x; // finding[race-write-after-write] with itself: another lane of its warp, in work
}
