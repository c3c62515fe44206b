__global__ void fault(float *out, const float *in, int n) {
    int i = threadIdx.x;
    const float *p = in + i;
    if (i == 5)
        p = in + 100000;
    float ratio = (i - i) / (float)(i * 0);
    out[i] = *p + ratio * n;
}
