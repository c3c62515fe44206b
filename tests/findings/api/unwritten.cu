// check: init
// groups: 2
// Memory that nothing has written comes to the host: the end of a row, and texels of an array.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void put(float *out, int n) {
    if (threadIdx.x < n) out[threadIdx.x] = threadIdx.x;
}

int main(int count, char **) {
    bool right = count > 1;
    float host[64], *row;
    cudaMalloc(&row, sizeof host);
    put<<<1, 64>>>(row, right ? 64 : 60); // right[init-copy-to-host]: all that is copied is written
    cudaMemcpy(host, row, sizeof host, cudaMemcpyDeviceToHost); // finding[init-copy-to-host]: has 16 bytes that were never written
    printf("%g\n", host[59]);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 8, 8);
    cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, right ? 8 : 7, cudaMemcpyHostToDevice);
    cudaMemcpy2DFromArray(host, 32, array, 0, 0, 32, 8, cudaMemcpyDeviceToHost); // finding[init-copy-to-host]: never written
    printf("%g\n", host[55]);
    cudaFreeArray(array);
    cudaFree(row);
}
