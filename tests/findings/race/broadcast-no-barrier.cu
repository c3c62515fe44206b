// And nobody waits.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s;
    if (threadIdx.x == 0) s = in[0]; // finding[race-write-after-read] with A: another warp of its CTA, in s
    out[threadIdx.x] = s; // at A
}
