__global__ void race(int *out, const int *in) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = t;
    int next = tile[(t + 1) % 64];
    int given = in[t];
    out[t] = next + (given > 3 ? 1 : 2);
}
