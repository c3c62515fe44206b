void halves(float *out, const float *in, int n, float limit)
{
#pragma acc parallel loop copyin(in[0 : n]) copyout(out[0 : n])
    for (int i = 0; i < n; i++) {
        float half = in[i] * 0.5f;
        int big = half > limit;
        if (big)
            half = limit;
        out[i] = half + big;
    }
}
