// All threads that find something store the same.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    if (in[t] == 0) work[0] = 1; // finding[race-same-value] with itself: another warp of its CTA, in work
}
