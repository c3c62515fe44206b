// The mathematical library in f32, far arguments included; its results hold to a few units in the last place.

extern "C" __global__ void libm(const float *a, const float *b, float *out)
{
    int t = threadIdx.x;
    float x = a[t], y = b[t], *o = out + t * 18;
    o[0] = sinf(x); o[1] = cosf(x); o[2] = tanf(x);
    o[3] = sinf(x * 1e7f); o[4] = cosf(x * 3e12f);
    o[5] = expf(x); o[6] = exp2f(x); o[7] = expm1f(x * 0.01f);
    o[8] = logf(y); o[9] = log2f(y); o[10] = log1pf(y);
    o[11] = powf(y, x * 0.3f); o[12] = atanf(x); o[13] = atan2f(x, y);
    o[14] = cbrtf(x); o[15] = hypotf(x, y); o[16] = erff(x * 0.2f); o[17] = fmodf(x, y);
}
