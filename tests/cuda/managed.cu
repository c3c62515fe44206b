// Managed variables and memory: host and kernels use them by the same address.
#include <cstdio>

__managed__ int total = 5;
__managed__ float values[16];

__global__ void sum(const int *more)
{
    for (int i = 0; i < 16; i++)
        total += (int)values[i];
    total += *more;
}

int main()
{
    total += 1;
    for (int i = 0; i < 16; i++)
        values[i] = i;
    int *more = nullptr;
    std::printf("%d\n", cudaMallocManaged(&more, sizeof *more));
    *more = 1000;
    sum<<<1, 1>>>(more);
    std::printf("%d\n", cudaDeviceSynchronize());
    std::printf("%d\n", total);
    total = 1;
    *more = 10;
    sum<<<1, 1>>>(more);
    std::printf("%d\n", cudaDeviceSynchronize());
    std::printf("%d\n", total);
    cudaPointerAttributes attributes;
    std::printf("%d", cudaPointerGetAttributes(&attributes, &total));
    std::printf(" %d\n", attributes.type);
    void *address = nullptr;
    std::printf("%d", cudaGetSymbolAddress(&address, total));
    std::printf(" %d\n", address == &total);
    std::printf("%d\n", cudaFree(more));
}
