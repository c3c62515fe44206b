// The same by CTAs.
// check: race
// grid: 3
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    if (threadIdx.x == 0) work[0] = 1; // finding[race-same-value] with itself: another CTA, in work
}
