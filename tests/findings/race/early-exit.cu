// Some threads have left before the barrier.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    if (t >= 48) return;
    __syncthreads();
    out[t] = s[47 - t];
}
