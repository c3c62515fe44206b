// nvcc: -lineinfo
// `covered N [abort|quit]`: one launch with N threads, of which those below 20 walk.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ __noinline__ int thrice(int x)
{
    return x * 3;
}

__device__ int stored(volatile int *out, int x)
{
    *out = x;
    return x + 1;
}

__global__ void walk(volatile int *out, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    if (i % 3 == 0)
        out[i] = thrice(i);
    else
        out[i] = 7;
#pragma unroll 1
    for (int k = 0; k < i; k++)
        stored(out + k, i);
    if (n < 0)
        out[64] = 1;
}

template <typename T>
__global__ void never(T *out)
{
    *out = 1;
}

int main(int count, char **arguments)
{
    int threads = count > 1 ? atoi(arguments[1]) : 32, *out = nullptr;
    cudaMalloc(&out, 4096);
    walk<<<1, threads>>>(out, 20);
    if (threads < 0)
        never<<<1, 1>>>(reinterpret_cast<float *>(out));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    fflush(stdout);
    if (count > 2 && arguments[2][0] == 'q') {
        // Another one, and at once the end that processes have that were forked off.
        walk<<<1, threads>>>(out, 20);
        _Exit(0);
    }
    if (count > 2)
        abort();
    return 0;
}
