// The mathematical library in f64.

extern "C" __global__ void libm64(const double *a, const double *b, double *out)
{
    int t = threadIdx.x;
    double x = a[t], y = b[t], *o = out + t * 12;
    o[0] = sin(x); o[1] = cos(x * 1e9); o[2] = tan(x);
    o[3] = exp(x); o[4] = log(y); o[5] = pow(y, x * 0.3);
    o[6] = atan2(x, y); o[7] = cbrt(x); o[8] = sinh(x * 0.1); o[9] = fmod(x, y);
    o[10] = floor(x) + ceil(y) * 100 + trunc(x) * 10000 + rint(y) * 1000000;
    o[11] = asin(x * 0.03);
}
