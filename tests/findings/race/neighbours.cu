// CTAs read what their neighbours write.
// check: race
// grid: 4
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int g = blockIdx.x * 64 + threadIdx.x;
    work[g] = in[g]; // at A // finding[race-write-after-read] with B: another CTA, in work
    __syncthreads();
    out[g] = work[(g + 255) % 256]; // at B // finding[race-read-after-write] with A: another CTA, in work
}
