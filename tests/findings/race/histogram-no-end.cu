// The counting is not waited for.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    atomicAdd(&s[(in[t] + t * 7) & 63], 1); // at A // finding[race-write-after-read] with B: another warp of its CTA, in s
    atomicAdd(&out[t], s[t]); // at B // finding[race-read-after-write] with A: another lane of its warp, in s
}
