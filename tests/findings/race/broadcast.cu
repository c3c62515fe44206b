// One thread stores for all.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s;
    if (threadIdx.x == 0) s = in[0];
    __syncthreads();
    out[threadIdx.x] = s;
}
