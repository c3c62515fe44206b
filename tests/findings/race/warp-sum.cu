// The end of a sum, one warp, with __syncwarp.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        for (int half = 32; half > 0; half /= 2) {
            int v = s[t + half];
            __syncwarp();
            s[t] += v;
            __syncwarp();
        }
    }
    if (t == 0) out[0] = s[0];
}
