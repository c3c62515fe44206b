// Two inlined calls, one in the other; a product and a sum that can be fused; a store through a pointer that can be wrong.
__device__ inline float blend(float x, float y)
{
    return x * y + x;
}

template <typename T>
__device__ inline void put(T *out, int i, T x)
{
    out[i] = blend(x, 3.0f);
}

extern "C" __global__ void places(float *out, float x, int n)
{
    int i = threadIdx.x;
    if (i < n)
        put(out, i, x);
    out[i + 64] = x;
}
