// They do not.
// check: race
// grid: 4
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int g = blockIdx.x * 64 + threadIdx.x;
    work[g] = in[g]; // finding[race-write-after-read]
    __syncthreads();
    out[g] = work[255 - g]; // finding[race-read-after-write]
}
