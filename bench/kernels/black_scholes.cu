// Prices of European options, by Black and Scholes, with a polynomial for the normal distribution, and the hardware's own
// exponentials and logarithms (no code of libdevice).
__device__ float distribution(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * __expf(-0.5f * d * d)
        * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

extern "C" __global__ void __launch_bounds__(256) black_scholes(const float *price, const float *strike, const float *years,
    float *call, float *put, unsigned n, float rate, float volatility)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
    float d1 = (__logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = distribution(d1), n2 = distribution(d2), later = x * __expf(-rate * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1 - n2) - s * (1 - n1);
}
