// Memory of pools and streams that nothing orders, for `texunit run --check race`. The argument says which case.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

const int N = 256;

__global__ void fill(int *p) { p[threadIdx.x] = threadIdx.x; }

__global__ void read(const int *p, int *to) { if (p[threadIdx.x] == -1) *to = 1; }

int main(int, char **args)
{
    const char *which = args[1];
    auto is = [&](const char *name) { return !std::strcmp(which, name); };
    cudaStream_t a, b;
    cudaEvent_t event;
    int *p = nullptr, *to, host[N];
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    cudaMalloc(&to, sizeof(int));
    cudaMallocAsync(&p, N * sizeof(int), a);
    if (is("same")) {
        fill<<<1, N, 0, a>>>(p);
        read<<<1, N, 0, a>>>(p, to);
        cudaFreeAsync(p, a);
    } else if (is("event")) {
        cudaEventRecord(event, a);
        cudaStreamWaitEvent(b, event, 0);
        fill<<<1, N, 0, b>>>(p); // right[race-pool-allocation]: it waits for the event behind the allocation
        cudaEventRecord(event, b);
        cudaStreamWaitEvent(a, event, 0);
        cudaFreeAsync(p, a); // right[race-pool-free]: it waits for the event behind the kernel
    } else if (is("host")) {
        cudaStreamSynchronize(a);
        fill<<<1, N, 0, b>>>(p);
        cudaStreamSynchronize(b);
        cudaFreeAsync(p, a);
    } else if (is("kernel")) {
        fill<<<1, N, 0, b>>>(p); // finding[race-pool-allocation]: a kernel stores to memory of a pool
        cudaStreamSynchronize(b);
        cudaFreeAsync(p, b);
    } else if (is("copy")) {
        cudaMemcpyAsync(host, p, sizeof host, cudaMemcpyDeviceToHost, b);
        cudaStreamSynchronize(b);
        cudaFreeAsync(p, b);
    } else if (is("set")) {
        cudaMemsetAsync(p, 0, sizeof host, b);
        cudaStreamSynchronize(b);
        cudaFreeAsync(p, b);
    } else if (is("free")) {
        cudaStreamSynchronize(a);
        fill<<<1, N, 0, b>>>(p);
        cudaFreeAsync(p, a); // finding[race-pool-free]: a kernel of another stream stores to it
    } else if (is("reused")) {
        // The next allocation has the address of the one before, which another stream still uses.
        int *q;
        cudaStreamSynchronize(a);
        cudaFreeAsync(p, a);
        cudaMallocAsync(&q, N * sizeof(int), a);
        fill<<<1, N, 0, b>>>(p);
        cudaStreamSynchronize(b);
        cudaFreeAsync(q, b);
    }
    cudaDeviceSynchronize();
    cudaFree(to);
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
