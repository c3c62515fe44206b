// Bytes of a word are threads' own.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    char *bytes = (char *)work;
    bytes[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = work[threadIdx.x / 4];
}
