// Work in f64: a polynomial, a series, Newton's square root, a bisection, and the bits of the numbers.

extern "C" __global__ void f64(const double *in, double *out, long long *bits)
{
    int t = threadIdx.x;
    double x = in[t], *o = out + t * 6;
    o[0] = ((2.0 * x - 3.5) * x + 0.25) * x - 7.0;
    double sum = 0, term = 1;
    for (int i = 1; i < 20; ++i) {
        sum += term;
        term = term * x / i;
    }
    o[1] = sum;
    double r = fabs(x) + 1;
    for (int i = 0; i < 8; ++i) r = 0.5 * (r + fabs(x) / r);
    o[2] = r;
    double low = 0, high = 4;
    while (high - low > 1e-9) {
        double mid = (low + high) / 2;
        if (mid * mid * mid < fabs(x)) low = mid; else high = mid;
    }
    o[3] = low;
    o[4] = fmin(fmax(x, -1.0), 1.0);
    o[5] = __longlong_as_double(__double_as_longlong(x) ^ 1);
    bits[t] = __double2hiint(x) * 3ll + __double2loint(x);
}
