// Streams that nothing orders, for `texunit run --check race`: with an argument everything is waited for.
#include <cstdio>

__global__ void put(int *p) { p[threadIdx.x] = threadIdx.x; }

__global__ void get(const int *p, int *q) {
    q[threadIdx.x] = p[threadIdx.x] + 1;
}

int main(int argc, char **) {
    bool waits = argc > 1;
    int *p, *q, out[64] = {};
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaMalloc(&p, sizeof out);
    cudaMalloc(&q, sizeof out);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    get<<<1, 64, 0, b>>>(p, q);
    if (waits) cudaStreamSynchronize(b);
    put<<<1, 64, 0, a>>>(p);
    cudaEventRecord(event, a);
    if (waits) cudaStreamWaitEvent(b, event, 0);
    get<<<1, 64, 0, b>>>(p, q);
    if (waits) cudaStreamSynchronize(b);
    cudaMemcpy(out, q, sizeof out, cudaMemcpyDeviceToHost);
    printf("%d %s\n", out[63], cudaGetErrorName(cudaDeviceSynchronize()));
}
