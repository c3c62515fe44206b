// What one kernel makes on the heap of the device and another one frees, for `texunit run --check leak --kernel NAME`.
#include <cstdio>
#include <cstring>

__device__ void *kept[2];

__global__ void makes() { kept[threadIdx.x] = malloc(24); }

__global__ void frees() { free(kept[threadIdx.x]); }

int main(int, char **argv) {
    makes<<<1, 2>>>();
    if (!strcmp(argv[1], "frees")) frees<<<1, 2>>>();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
