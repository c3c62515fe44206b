// Counts without atomics.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = 0;
    __syncthreads();
    int bin = in[t] & 63;
    int old = s[bin]; // at A // finding[race-read-after-write] with B: another warp of its CTA, in s
    s[bin] = old + 1; // finding[race-write-after-read] with A: another lane of its warp, in s // at B // finding[race-write-after-write] with itself: another warp of its CTA, in s
    __syncthreads();
    out[t] = s[t];
}
