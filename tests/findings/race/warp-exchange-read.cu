// Another warp reads what the lanes of a warp have exchanged.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = in[t]; // at A
        __syncwarp();
        int other = s[31 - t];
        __syncwarp();
        out[t] = other;
    } else {
        out[t] = s[t - 32]; // finding[race-read-after-write] with A: another warp of its CTA, in s
    }
}
