// CTAs read what their neighbours write.
// check: race
// grid: 4
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int g = blockIdx.x * 64 + threadIdx.x;
    work[g] = in[g]; // finding[race-write-after-read]
    __syncthreads();
    out[g] = work[(g + 255) % 256]; // finding[race-read-after-write]
}
