// nvcc: -lineinfo
// stderr: threads of CTA (0, 0, 0) wait in a loop at waits_for_ever.cu:6
// A kernel that waits for what nobody does: the host waits for the kernel, so that this is known at once.
#include <cstdio>

__global__ void waits(volatile unsigned *flag) { while (*flag < 1) {} }

int main()
{
    unsigned *flag;
    cudaMallocHost(&flag, 4);
    *flag = 0;
    cudaStream_t other;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    waits<<<1, 1>>>(flag);
    waits<<<2, 32, 0, other>>>(flag);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    std::printf("%s\n", cudaGetErrorString(cudaMalloc(&flag, 4)));
}
