// Without the barrier between the two.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int sums[2];
    int t = threadIdx.x, v = in[t];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, v, d);
        if ((t & 31) >= d) v += other;
    }
    if ((t & 31) == 31) sums[t / 32] = v; // at A
    if (t >= 32) v += sums[0]; // finding[race-read-after-write] with A: another lane of its warp, in sums
    out[t] = v;
}
