// The same without it.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t]; // at A // finding[race-write-after-read] with B: another warp of its CTA, in s
    out[t] = s[63 - t]; // finding[race-read-after-write] with A: another warp of its CTA, in s // at B
}
