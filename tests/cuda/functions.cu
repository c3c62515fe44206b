// Attributes of kernels, occupancy, handles of kernels, launches with attributes.
#include <cstdio>
#include <cstring>

__global__ void __launch_bounds__(256) reverse(float *data, int n, double)
{
    extern __shared__ float copy[];
    __shared__ int fixed[32];
    int i = threadIdx.x;
    fixed[i % 32] = n;
    copy[i] = data[i];
    __syncthreads();
    data[i] = copy[fixed[i % 32] - 1 - i];
}

__global__ void one(int *out) { *out += 1; }

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

int main()
{
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, reverse));
    std::printf("shared %zu, threads %d, dynamic %d\n", attributes.sharedSizeBytes,
                attributes.maxThreadsPerBlock, attributes.maxDynamicSharedSizeBytes);
    std::printf("registers %d, version %d\n", attributes.numRegs > 0, attributes.ptxVersion >= 75);
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    CHECK(cudaFuncGetAttributes(&attributes, reverse));
    std::printf("dynamic %d\n", attributes.maxDynamicSharedSizeBytes);
    CHECK(cudaFuncSetCacheConfig(reverse, cudaFuncCachePreferShared));

    int blocks = 0, grid = 0, block = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, one, 128, 0));
    std::printf("blocks %d\n", blocks);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 256, 32 << 10));
    std::printf("blocks %d\n", blocks);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, one));
    std::printf("grid %d, block %d\n", grid, block);
    size_t bytes = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, one, 2, 128));
    std::printf("available %d\n", bytes >= 32 << 10);

    const char *name = nullptr;
    CHECK(cudaFuncGetName(&name, (const void *)one));
    std::printf("%s\n", name);
    size_t offset = 0, size = 0;
    CHECK(cudaFuncGetParamInfo((const void *)reverse, 2, &offset, &size));
    std::printf("parameter at %zu of %zu\n", offset, size);
    std::printf("%s\n", cudaGetErrorName(cudaFuncGetParamInfo((const void *)reverse, 3, &offset, &size)));
    cudaGetLastError();

    float *data, host[256];
    for (int i = 0; i < 256; i++)
        host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    reverse<<<1, 256, sizeof host>>>(data, 256, 0.0);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%g %g %g\n", host[0], host[1], host[255]);

    int *out, result = 0;
    CHECK(cudaMalloc(&out, sizeof *out));
    CHECK(cudaMemset(out, 0, sizeof *out));
    void *args[] = {&out};
    cudaKernel_t kernel;
    CHECK(cudaGetKernel(&kernel, one));
    CHECK(cudaLaunchKernel((const void *)kernel, 1, 1, args, 0, 0));
    cudaLaunchConfig_t config = {};
    config.gridDim = 2;
    config.blockDim = 1;
    CHECK(cudaLaunchKernelExC(&config, (const void *)one, args));
    cudaFunction_t function;
    CHECK(cudaGetFuncBySymbol(&function, (const void *)one));
    CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
    std::printf("%d %d\n", result >= 2, function != nullptr);

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {2, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    std::printf("%s\n", cudaGetErrorName(cudaLaunchKernelExC(&config, (const void *)one, args)));
}
