// check: race
// groups: 2
// Memory of a pool that is used before its allocation, and given back before its use, in the order of streams.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void put(int *p) { p[threadIdx.x] = threadIdx.x; } // finding[race-pool-allocation]: a kernel stores to memory of a pool

int main(int count, char **) {
    bool right = count > 1;
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    auto between = [&](cudaStream_t first, cudaStream_t then) {
        if (!right) return; // right[race-pool-allocation]: an event is between them // right[race-pool-free]: the same
        cudaEventRecord(event, first);
        cudaStreamWaitEvent(then, event);
    };
    int *p;
    cudaMallocAsync(&p, 256, a);
    between(a, b);
    put<<<1, 64, 0, b>>>(p);
    cudaDeviceSynchronize();
    put<<<1, 64, 0, b>>>(p);
    between(b, a);
    cudaFreeAsync(p, a); // finding[race-pool-free]: a kernel of another stream stores to it
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
