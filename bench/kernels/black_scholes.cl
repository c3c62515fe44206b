// Twin of black_scholes.cu.
float distribution(float d)
{
    float k = 1 / (1 + 0.2316419f * fabs(d));
    float tail = 0.39894228f * native_exp(-0.5f * d * d)
        * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1 - tail : tail;
}

__kernel void black_scholes(__global const float *price, __global const float *strike, __global const float *years,
    __global float *call, __global float *put, uint n, float rate, float volatility)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i], root = sqrt(t);
    float d1 = (native_log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float n1 = distribution(d1), n2 = distribution(d2), later = x * native_exp(-rate * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1 - n2) - s * (1 - n1);
}
