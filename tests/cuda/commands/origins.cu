// Undefined bytes that kernels copy: the host is told where they came from.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void copy(const float *in, float *out) {
    out[threadIdx.x] = in[threadIdx.x];
}

__global__ void count(const float *in, int *out) {
    __shared__ int c[64];
    c[threadIdx.x] = in[threadIdx.x] < 3.f ? 1 : 0;
    __syncthreads();
    out[threadIdx.x] = c[63 - threadIdx.x];
}

int main() {
    float *in, *middle, *out, host[64];
    int *counts, numbers[64];
    for (int i = 0; i < 64; i++) host[i] = i % 5;
    cudaMalloc(&in, 256);
    cudaMalloc(&middle, 256);
    cudaMalloc(&out, 256);
    cudaMalloc(&counts, 256);
    cudaMemcpy(in, host, 240, cudaMemcpyHostToDevice);
    copy<<<1, 64>>>(in, middle);
    copy<<<1, 64>>>(middle, out);
    cudaMemcpy(host, out, 256, cudaMemcpyDeviceToHost); // finding[init-copy-to-host]: a copy to the host has 16 bytes that depend on memory that was never written
    count<<<1, 64>>>(in, counts);
    cudaMemcpy(numbers, counts, 256, cudaMemcpyDeviceToHost);
    printf("%g %d\n", host[1], numbers[63]);
    for (void *p : {(void *)in, (void *)middle, (void *)out, (void *)counts}) cudaFree(p);
    return 0;
}
