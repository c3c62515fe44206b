// check: race
// groups: 2
// Work of two streams on the same memory, with no event between them.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void put(int *p) { // finding[race-read-after-write]: a copy of 256 bytes reads memory that a kernel stores to
    p[threadIdx.x] = threadIdx.x;
}

__global__ void get(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

int main(int count, char **) {
    bool right = count > 1;
    int *p, *q, *host;
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    cudaMalloc(&p, 256);
    cudaMalloc(&q, 256);
    cudaHostAlloc(&host, 256, cudaHostAllocDefault);
    auto after = [&] {
        if (!right) return; // right[race-read-after-write]: an event is between them // right[race-write-after-read]: the same
        cudaEventRecord(event, a);
        cudaStreamWaitEvent(b, event);
    };
    put<<<1, 64, 0, a>>>(p);
    after();
    cudaMemcpyAsync(host, p, 256, cudaMemcpyDeviceToHost, b);
    cudaDeviceSynchronize();
    get<<<1, 64, 0, a>>>(p, q);
    after();
    cudaMemsetAsync(p, 0, 256, b);
    cudaDeviceSynchronize();
    printf("%d\n", host[9]);
    cudaFree(p);
    cudaFree(q);
    cudaFreeHost(host);
    cudaEventDestroy(event);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
}
