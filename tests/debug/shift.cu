__global__ void shift(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int to = i + 2;
    if (i < n)
        out[to % n] = in[i] * 0.5f;
    if (threadIdx.x == 31)
        out[i - 30] = -1.0f;
}
