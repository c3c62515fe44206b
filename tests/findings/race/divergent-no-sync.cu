// Without __syncwarp.
// check: race
// grid: 1
// block: 32
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 16) s[t] = in[t]; // at A
    if (t >= 16) out[t] = s[t - 16]; // finding[race-read-after-write] with A: another lane of its warp, in s
}
