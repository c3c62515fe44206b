// Compiled with -use_fast_math: div, sqrt, sin, cos, exp and log become .approx.ftz; sums contract to fma.

extern "C" __global__ void fast(const float *a, const float *b, float *out)
{
    int t = threadIdx.x;
    float x = a[t], y = b[t], *o = out + t * 10;
    o[0] = x / y;
    o[1] = sqrtf(x);
    o[2] = rsqrtf(x);
    o[3] = 1.0f / y;
    o[4] = sinf(x);
    o[5] = cosf(x);
    o[6] = expf(x * 0.25f);
    o[7] = logf(y);
    o[8] = powf(x, y * 0.1f);
    o[9] = x * y + 1.0f;
}
