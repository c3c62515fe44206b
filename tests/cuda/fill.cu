// A buffer that a kernel fills: allocation, launch, copy back.
#include <cstdio>

__global__ void fill(int *out, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = first + i;
}

int main()
{
    int *device = nullptr, host[64] = {};
    std::printf("malloc %d\n", cudaMalloc(&device, sizeof host));
    fill<<<2, 32>>>(device, 7);
    std::printf("launch %d\n", cudaGetLastError());
    std::printf("copy %d\n", cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d\n", host[0], host[31], host[63]);
    std::printf("free %d\n", cudaFree(device));
}
