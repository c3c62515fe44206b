// Devices: their number, choice, properties, limits and flags. Refusals are as of an NVIDIA H200 (sm_90), driver
// 580.159.04, CUDA 13.0, 2026-11-28.
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

int main()
{
    int count = 0, device = 9, value = 0;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    std::printf("%d devices, number %d\n", count, device);
    CHECK(cudaSetDevice(0));
    CHECK(cudaInitDevice(0, 0, 0));

    cudaDeviceProp p;
    std::memset(&p, 0x5a, sizeof p);
    CHECK(cudaGetDeviceProperties(&p, 0));
    std::printf("%s %d.%d\n", p.name, p.major, p.minor);
    std::printf("memory %zu, shared %zu, constant %zu\n", p.totalGlobalMem, p.sharedMemPerBlock,
                p.totalConstMem);
    std::printf("block %d: %d %d %d\n", p.maxThreadsPerBlock, p.maxThreadsDim[0], p.maxThreadsDim[1],
                p.maxThreadsDim[2]);
    std::printf("grid %d %d %d\n", p.maxGridSize[0], p.maxGridSize[1], p.maxGridSize[2]);
    std::printf("warp %d, registers %d, multiprocessors %d\n", p.warpSize, p.regsPerBlock,
                p.multiProcessorCount);
    std::printf("1D %d, 2D %d %d, 3D %d %d %d\n", p.maxTexture1D, p.maxTexture2D[0], p.maxTexture2D[1],
                p.maxTexture3D[0], p.maxTexture3D[1], p.maxTexture3D[2]);
    std::printf("layered %d %d %d, cube %d, surface %d\n", p.maxTexture2DLayered[0],
                p.maxTexture2DLayered[1], p.maxTexture2DLayered[2], p.maxTextureCubemap,
                p.maxSurface1D);
    std::printf("alignment %zu, pitch %zu, surface %zu\n", p.textureAlignment, p.texturePitchAlignment,
                p.surfaceAlignment);
    std::printf("bus %04x:%02x:%02x\n", p.pciDomainID, p.pciBusID, p.pciDeviceID);
    std::printf("optin %zu, blocks %d, threads %d, reserved %zu\n", p.sharedMemPerBlockOptin,
                p.maxBlocksPerMultiProcessor, p.maxThreadsPerMultiProcessor,
                p.reservedSharedMemPerBlock);
    std::printf("unified %d, managed %d, cooperative %d, pools %d, sparse %d\n", p.unifiedAddressing,
                p.managedMemory, p.cooperativeLaunch, p.memoryPoolsSupported,
                p.sparseCudaArraySupported);
    std::printf("function pointers %d\n", p.unifiedFunctionPointers);
    std::printf("wrong device: %s\n", cudaGetErrorName(cudaGetDeviceProperties(&p, 1)));

    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    std::printf("attribute %d\n", value);
    std::printf("no attribute: %s\n",
                cudaGetErrorName(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0)));

    char id[16];
    CHECK(cudaDeviceGetPCIBusId(id, sizeof id, 0));
    CHECK(cudaDeviceGetByPCIBusId(&device, id));
    std::printf("%s is %d\n", id, device);
    CHECK(cudaChooseDevice(&device, &p));
    std::printf("chosen %d\n", device);

    size_t limit = 0;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    std::printf("heap %zu\n", limit);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    std::printf("heap %zu\n", limit);
    std::printf("no limit: %s\n", cudaGetErrorName(cudaDeviceGetLimit(&limit, (cudaLimit)77)));

    unsigned flags = 0;
    CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    CHECK(cudaGetDeviceFlags(&flags));
    std::printf("flags %u\n", flags);
    cudaFuncCache cache;
    CHECK(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    CHECK(cudaDeviceGetCacheConfig(&cache));
    std::printf("cache %d\n", cache);
    CHECK(cudaDeviceCanAccessPeer(&value, 0, 0));
    std::printf("peer %d\n", value);
    int runtime = 0, driver = 0;
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDriverGetVersion(&driver));
    std::printf("versions %d %d\n", runtime == CUDART_VERSION, driver >= 12000);
    int valid[1] = {0};
    CHECK(cudaSetValidDevices(valid, 1));
    CHECK(cudaDeviceReset());
}
