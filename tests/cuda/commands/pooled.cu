// A kernel writes one element past the end of an array. The array is part of a block, if the pool (pool.cu, as a library with
// a name of PyTorch's) is not turned off.
#include <cstdio>

extern "C" void *pool_array(size_t bytes);

__global__ void fill(int *out, int n)
{
    int i = threadIdx.x;
    if (i <= n)
        out[i] = i;
}

int main()
{
    for (int i = 0; i < 2; ++i) {
        int *out = (int *)pool_array(20 * sizeof *out);
        fill<<<1, 32>>>(out, 20);
    }
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
