// Plain loop of black_scholes.cu.
#include <math.h>

static inline float distribution(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float tail = 0.39894228f * expf(-0.5f * d * d)
        * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

void black_scholes(const float *restrict price, const float *restrict strike, const float *restrict years,
    float *restrict call, float *restrict put, unsigned n, float rate, float volatility)
{
#pragma omp parallel for
    for (unsigned i = 0; i < n; i++) {
        float s = price[i], x = strike[i], t = years[i], root = sqrtf(t);
        float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
        float d2 = d1 - volatility * root;
        float n1 = distribution(d1), n2 = distribution(d2), later = x * expf(-rate * t);
        call[i] = s * n1 - later * n2;
        put[i] = later * (1 - n2) - s * (1 - n1);
    }
}
