// One buffer where there should be two.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = in[t];
#pragma unroll 1
    for (int i = 0; i < 6; i++) {
        s[t] = v; // finding[race-write-after-read] with A: another lane of its warp, in s // at B
        __syncthreads();
        v += s[(t + 1) & 63]; // at A // finding[race-read-after-write] with B: another warp of its CTA, in s
    }
    out[t] = v;
}
