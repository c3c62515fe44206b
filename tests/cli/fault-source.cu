// What fault-source.ptx was compiled from.
__device__ inline void put(float *out, int i, float x)
{
    out[i] = x;
}

__global__ void fill(float *out)
{
    put(out, threadIdx.x, 2.0f);
}
