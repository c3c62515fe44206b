// Arithmetic on and around the subnormal numbers, compiled with -ftz=true: inputs and results are flushed to zeros of their sign.

extern "C" __global__ void denormals(const float *a, const float *b, float *out)
{
    int t = threadIdx.x;
    float x = a[t], y = b[t], *o = out + t * 8;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = fmaf(x, 0.5f, y);
    o[4] = x * 0.25f;
    o[5] = fminf(x, y);
    o[6] = x < y ? 1.0f : 0.0f;
    o[7] = fabsf(x) * 16777216.0f;
}
