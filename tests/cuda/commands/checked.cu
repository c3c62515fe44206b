// nvcc: -lineinfo
// `checked [reset|clean]`: launches a kernel with a barrier that some threads never reach, twice, and leaves things behind.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__device__ void meet()
{
    __syncthreads();
}

__global__ void early(int *out, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    out[blockIdx.x * 64 + i] = i;
    meet();
    out[blockIdx.x * 64 + i] += 1;
}

__global__ void keep(int **out)
{
    out[threadIdx.x] = new int[4];
}

int main(int count, char **arguments)
{
    bool clean = count > 1 && !strcmp(arguments[1], "clean");
    bool reset = count > 1 && !strcmp(arguments[1], "reset");
    int *out = nullptr, *again = nullptr;
    int **pointers = nullptr;
    cudaMalloc(&out, 4096); // finding[leak-allocation]: 1 allocation of cudaMalloc (4096 bytes) was not freed
    for (int i = 0; i < (clean ? 1 : 2); i++)
        cudaMalloc(&again, 512);
    cudaMalloc(&pointers, 256);
    cudaStream_t stream;
    cudaStreamCreate(&stream); // finding[leak-object]: 1 stream was not destroyed
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaMemPool_t pool;
    cudaMemPoolProps of_device = {};
    of_device.allocType = cudaMemAllocationTypePinned;
    of_device.location.type = cudaMemLocationTypeDevice;
    cudaMemPoolCreate(&pool, &of_device);
    int *of_stream = nullptr, *of_pool = nullptr;
    cudaMallocAsync(&of_stream, 128, stream);
    cudaMallocFromPoolAsync(&of_pool, 256, pool, stream);
    for (int i = 0; i < 2; i++)
        early<<<2, 64, 0, stream>>>(out, clean ? 64 : 50);
    if (!clean)
        keep<<<1, 3>>>(pointers);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    if (clean) {
        cudaFree(out), cudaFree(pointers), cudaFree(again); // right[leak-allocation]: all is freed
        cudaFreeAsync(of_stream, stream), cudaFreeAsync(of_pool, stream);
        cudaStreamDestroy(stream);
        cudaEventDestroy(event);
        cudaMemPoolDestroy(pool); // right[leak-object]: all is destroyed
    }
    if (reset)
        cudaDeviceReset();
    return 0;
}
