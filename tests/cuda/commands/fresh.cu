// Memory that nobody has written, and what of it comes to the host.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void half(unsigned *out) {
    if (threadIdx.x < 32) out[threadIdx.x] = 5;
}

int main() {
    unsigned *memory, *copy, *rows, host[64], other[64] = {};
    cudaMalloc(&memory, 256);
    cudaMalloc(&copy, 256);
    half<<<1, 64>>>(memory);
    cudaMemcpy(host, memory, 256, cudaMemcpyDeviceToHost); // finding[init-copy-to-host]: a copy to the host has 128 bytes
    // What is copied on the device is as undefined there, until it is set.
    cudaMemcpy(copy, memory, 256, cudaMemcpyDeviceToDevice);
    cudaMemset(copy, 0, 128);
    cudaMemset(copy + 33, 0, 124);
    cudaMemcpy(other, copy, 256, cudaMemcpyDeviceToHost);
    // The padding of rows stays where it is.
    size_t pitch;
    unsigned short lines[3][5];
    cudaMallocPitch(&rows, &pitch, 10, 3);
    cudaMemset2D(rows, pitch, 0, 10, 3);
    cudaMemcpy2D(lines, 10, rows, pitch, 10, 3, cudaMemcpyDeviceToHost); // right[init-copy-to-host]: no padding comes along
    printf("%x %x %x %x\n", host[32], other[32], host[31], other[31] + lines[2][4]);
    cudaFree(memory);
    cudaFree(copy);
    cudaFree(rows);
    return 0;
}
