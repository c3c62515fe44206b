// Without a barrier at the end of the turn.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        s[t] = in[t + 64 * i]; // finding[race-write-after-read] with A: another warp of its CTA, in s // at B
        __syncthreads();
        sum += s[63 - t]; // at A // finding[race-read-after-write] with B: another warp of its CTA, in s
    }
    out[t] = sum;
}
