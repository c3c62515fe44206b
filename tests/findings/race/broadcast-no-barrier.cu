// And nobody waits.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s;
    if (threadIdx.x == 0) s = in[0]; // finding[race-write-after-read] with A: another lane of its warp, in s // at B
    out[threadIdx.x] = s; // at A // finding[race-read-after-write] with B: another warp of its CTA, in s
}
