// Two buffers, one barrier a turn.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, v = in[t];
    for (int i = 0; i < 6; i++) {
        s[i & 1][t] = v;
        __syncthreads();
        v += s[i & 1][(t + 1) & 63];
    }
    out[t] = v;
}
