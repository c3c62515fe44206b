// nvcc: -rdc=true -g -lineinfo
// Relocatable device code with lines of the source in it: the driver links the program's PTX with that of the
// device's own runtime, and the debug information of neither is in the way.
#include <cstdio>

__device__ int depth(int n);

__device__ int (*const table[2])(int) = {depth, nullptr};

__device__ __noinline__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }

__global__ void measure(int *out) { out[threadIdx.x] = table[0](threadIdx.x) * 10; }

int main()
{
    int *device, host[8];
    std::printf("%d\n", cudaMalloc(&device, sizeof host));
    measure<<<1, 8>>>(device);
    std::printf("%d\n", cudaGetLastError());
    std::printf("%d\n", cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int v : host)
        std::printf("%d ", v);
    std::printf("\n");
}
