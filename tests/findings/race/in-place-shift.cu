// A shift in place without a barrier.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    int v = work[t + 1]; // at A
    work[t] = v; // finding[race-write-after-read] with A: another lane of its warp, in work
}
