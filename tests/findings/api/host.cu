// check: race
// groups: 3
// The host reads and writes what the device has not finished with.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void put(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }

__global__ void get(const int *p, int *q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i] = p[i] + 1;
}

int main(int count, char **) {
    bool right = count > 1;
    int *managed, *pinned, *device, n = 3000;
    cudaMallocManaged(&managed, n * sizeof(int));
    cudaHostAlloc(&pinned, n * sizeof(int), cudaHostAllocDefault);
    cudaMalloc(&device, n * sizeof(int));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    put<<<30, 100, 0, stream>>>(managed);
    if (right) cudaStreamSynchronize(stream); // right[race-host-read]: it waits // right[race-host-write]: the same
    int sum = managed[7]; // finding[race-host-read]: that a kernel stores to
    cudaStreamSynchronize(stream);
    get<<<30, 100, 0, stream>>>(managed, device);
    if (right) cudaStreamSynchronize(stream);
    managed[8] = 1; // finding[race-host-write]: that a kernel loads from
    cudaStreamSynchronize(stream);
    cudaMemcpyAsync(pinned, device, n * sizeof(int), cudaMemcpyDeviceToHost, stream);
    if (right) cudaStreamSynchronize(stream);
    sum += pinned[2000]; // finding[race-host-read]: that a copy of 12000 bytes writes
    cudaStreamSynchronize(stream);
    printf("%d\n", sum);
    cudaFree(managed);
    cudaFreeHost(pinned);
    cudaFree(device);
    cudaStreamDestroy(stream);
}
