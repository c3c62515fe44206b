// nvcc: -rdc=true
// Relocatable device code: the driver links the PTX of the program.
#include <cstdio>

__device__ int base = 30;
__constant__ int step = 4;

__device__ __noinline__ int value(int i) { return base + i * step; }

__global__ void fill(int *out) { out[threadIdx.x] = value(threadIdx.x); }

int main()
{
    int *device, host[8], two = 2;
    std::printf("%d\n", cudaMalloc(&device, sizeof host));
    std::printf("%d\n", cudaMemcpyToSymbol(step, &two, sizeof two));
    fill<<<1, 8>>>(device);
    std::printf("%d\n", cudaGetLastError());
    std::printf("%d\n", cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int v : host)
        std::printf("%d ", v);
    std::printf("\n");
}
