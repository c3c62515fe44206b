// Nobody does.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t]; // at A
    } else {
        out[t] = s[63 - t]; // finding[race-read-after-write] with A: another warp of its CTA, in s
    }
}
