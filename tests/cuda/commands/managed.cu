// A managed variable and managed memory, without a look at what calls answer.
#include <cstdio>

__device__ __managed__ int variable = 5;

__global__ void add(int *memory) { *memory += ++variable; }

int main(int argc, char **)
{
    int *memory;
    // With an argument, memory comes first.
    if (argc < 2) std::printf("%d\n", variable);
    cudaMallocManaged(&memory, sizeof *memory);
    *memory = 3;
    add<<<1, 1>>>(memory);
    cudaDeviceSynchronize();
    std::printf("%d %d\n", variable, *memory);
}
