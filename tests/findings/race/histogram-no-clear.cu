// The clearing is not waited for.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = 0; // at A // finding[race-same-value] with B: another warp of its CTA, in s
    atomicAdd(&s[(in[t] + t * 7) & 63], 1); // finding[race-write-after-write] with A: another lane of its warp, in s // at B
    __syncthreads();
    atomicAdd(&out[t], s[t]);
}
