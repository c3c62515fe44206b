// What kernels print stands between what the program prints.
#include <cstdio>

__global__ void say(const char *text, double x)
{
    printf("thread %d of %s: %5.2f %s %c %llx%%\n", threadIdx.x, "three", x * threadIdx.x, text, 'c',
           0x123456789abcull);
}

int main()
{
    char *text = nullptr;
    cudaMalloc(&text, 16);
    cudaMemcpy(text, "from the host", 14, cudaMemcpyHostToDevice);
    std::printf("before\n");
    say<<<1, 3>>>(text, 1.25);
    std::printf("%d\n", cudaDeviceSynchronize());
    std::printf("after\n");
}
