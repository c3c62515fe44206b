// A kernel whose assertion fails, between lines of the program on standard error.
#include <cassert>
#include <cstdio>

__global__ void checks(int limit)
{
    printf("thread %d\n", threadIdx.x);
    assert(threadIdx.x < limit); // mark: assertion
}

int main()
{
    std::fprintf(stderr, "before\n");
    checks<<<1, 4>>>(4);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::fprintf(stderr, "between\n");
    checks<<<1, 1>>>(0);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::fprintf(stderr, "after\n");
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
