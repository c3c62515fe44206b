// What a program sees of the device, and that kernels run: for the tests of `texunit run`.
#include <cstdio>

__global__ void count(int *out) { atomicAdd(out, 1 + threadIdx.x % 2); }

int main(int argc, char **argv)
{
    int devices = 0;
    cudaGetDeviceCount(&devices);
    for (int i = 0; i < devices; ++i) {
        cudaDeviceProp properties;
        cudaGetDeviceProperties(&properties, i);
        printf("%s sm_%d%d\n", properties.name, properties.major, properties.minor);
    }
    int *out, result = 0;
    if (cudaMalloc(&out, sizeof result) || cudaMemset(out, 0, sizeof result)) return 2;
    count<<<3, 32>>>(out);
    cudaError_t error = cudaGetLastError();
    if (error) {
        printf("%s\n", cudaGetErrorName(error));
        return 3;
    }
    cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d\n", result);
    for (int i = 1; i < argc; ++i) printf("[%s]\n", argv[i]);
    return argc;
}
