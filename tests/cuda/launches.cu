// What goes with launches and is used seldom: occupancy of clusters, attributes of a kernel on a device, host
// nvcc: -Xcompiler -Wno-deprecated-declarations
// functions with a mode, captures, entry points of the driver, and the older and newer versions of these.
#include <cstdio>
#include <cstring>
#include <cuda.h>

static int wrong;

static void is(const char *what, cudaError_t found, cudaError_t expected = cudaSuccess)
{
    cudaGetLastError();
    if (found == expected) return;
    std::printf("%s: %s\n", what, cudaGetErrorName(found));
    wrong++;
}

static void same(const char *what, bool condition)
{
    if (!condition) std::printf("%s is wrong\n", what), wrong++;
}

#define OK(call) is(#call, call)
#define FAILS(call, code) is(#call, call, code)

__global__ void fill(int *out, int by)
{
    extern __shared__ int scratch[];
    scratch[threadIdx.x] = blockIdx.x * blockDim.x + threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = scratch[threadIdx.x] * by;
}

static const void *const FILL = (const void *)fill;

static void occupancy()
{
    // The functions of C: those of C++ call others.
    cudaError_t (*of_c)(int *, const void *, int, size_t) = cudaOccupancyMaxActiveBlocksPerMultiprocessor;
    int blocks = 0, with_flags = 0, clusters = 0, size = 0, processors = 0;
    OK(of_c(&blocks, FILL, 64, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&with_flags, FILL, 64, 0, 0));
    same("blocks", blocks > 0 && blocks == with_flags);
    FAILS(of_c(&blocks, FILL, 0, 0), cudaErrorInvalidValue);
    FAILS(of_c(&blocks, nullptr, 64, 0), cudaErrorInvalidDeviceFunction);
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 64;
    OK(cudaOccupancyMaxPotentialClusterSize(&size, FILL, &config));
    same("size of a cluster", size == 1);
    OK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    OK(cudaOccupancyMaxActiveClusters(&clusters, FILL, &config));
    same("clusters", clusters == blocks * processors);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    FAILS(cudaOccupancyMaxActiveClusters(&clusters, FILL, &config), cudaErrorInvalidClusterSize);
}

static cudaError_t run(int *memory, unsigned shared)
{
    int by = 3, host[64];
    void *args[] = {&memory, &by};
    cudaError_t code = cudaLaunchKernel(FILL, 2, 32, args, shared, 0);
    if (code != cudaSuccess) return code;
    OK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) same("number", host[i] == 3 * i);
    return code;
}

static void kernels(int *memory)
{
    const int large = 64 * 1024;
    cudaFuncAttributes attributes;
    cudaKernel_t kernel;
    OK(cudaGetKernel(&kernel, FILL));
    FAILS(run(memory, large), cudaErrorInvalidValue);
    OK(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, large, 0));
    OK(cudaFuncGetAttributes(&attributes, FILL));
    same("dynamic shared memory", attributes.maxDynamicSharedSizeBytes == large);
    OK(run(memory, large));
    const cudaFuncAttribute size = cudaFuncAttributeMaxDynamicSharedMemorySize;
    FAILS(cudaKernelSetAttributeForDevice(kernel, size, 1 << 20, 0), cudaErrorInvalidValue);
    FAILS(cudaKernelSetAttributeForDevice(kernel, size, large, 7), cudaErrorInvalidDevice);
#if CUDART_VERSION >= 13000
    size_t count = 0;
    OK(cudaFuncGetParamCount(FILL, &count));
    same("parameters", count == 2);
#endif
}

static void several_devices(int *memory)
{
#if CUDART_VERSION < 13000
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    int by = 5, host[64];
    void *args[] = {&memory, &by};
    cudaLaunchParams launch = {};
    launch.func = (void *)fill;
    launch.gridDim = 2;
    launch.blockDim = 32;
    launch.args = args;
    launch.sharedMem = 128;
    launch.stream = stream;
    OK(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 0));
    OK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) same("number", host[i] == 5 * i);
    FAILS(cudaLaunchCooperativeKernelMultiDevice(&launch, 2, 0), cudaErrorNotSupported);
    FAILS(cudaLaunchCooperativeKernelMultiDevice(&launch, 0, 0), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(stream));
#else
    (void)memory;
#endif
}

#if CUDART_VERSION < 13000
// The first version, which the headers hide behind the second.
#undef cudaStreamGetCaptureInfo
extern "C" cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus *, unsigned long long *);
#endif

static void captures()
{
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    unsigned long long id = 7;
    OK(cudaStreamGetCaptureInfo(stream, &status, &id));
    same("status", status == cudaStreamCaptureStatusNone && id == 0);
#if CUDART_VERSION < 13000
    // What a capture would have is not written.
    cudaGraph_t graph = (cudaGraph_t)1;
    const cudaGraphNode_t *nodes = nullptr;
    const cudaGraphEdgeData *edges = nullptr;
    size_t number = 9;
    status = cudaStreamCaptureStatusActive, id = 7;
    OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, &nodes, &number));
    same("status of version 2", status == cudaStreamCaptureStatusNone && id == 0);
    status = cudaStreamCaptureStatusActive, id = 7;
    OK(cudaStreamGetCaptureInfo_v3(stream, &status, &id, &graph, &nodes, &edges, &number));
    same("status of version 3", status == cudaStreamCaptureStatusNone && id == 0);
    same("graph", graph == (cudaGraph_t)1 && number == 9);
    cudaEvent_t start, end;
    float time = -1;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecord(start, stream));
    OK(cudaEventRecord(end, stream));
    OK(cudaEventElapsedTime_v2(&time, start, end));
    same("time", time >= 0 && time < 1000);
    FAILS(cudaEventElapsedTime_v2(nullptr, start, end), cudaErrorInvalidValue);
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(end));
#endif
    OK(cudaStreamDestroy(stream));
}

static void CUDART_CB count(void *calls) { ++*(int *)calls; }

static void host_functions()
{
    int calls = 0;
    OK(cudaLaunchHostFunc(0, count, &calls));
#if CUDART_VERSION >= 13000
    OK(cudaLaunchHostFunc_v2(0, count, &calls, 0));
    OK(cudaLaunchHostFunc_v2(0, count, &calls, 1));
    FAILS(cudaLaunchHostFunc_v2(0, count, &calls, 2), cudaErrorInvalidValue);
    calls -= 2;
#endif
    OK(cudaDeviceSynchronize());
    same("calls", calls == 1);
}

static void entry_points()
{
    void *address = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPoint("cuMemAlloc", &address, cudaEnableDefault, &found));
    same("entry point", address != nullptr && found == cudaDriverEntryPointSuccess);
    CUdeviceptr memory = 0;
    same("its call", ((CUresult(*)(CUdeviceptr *, size_t))address)(&memory, 64) == CUDA_SUCCESS);
    OK(cudaFree((void *)memory));
    OK(cudaGetDriverEntryPoint("cuNothing", &address, cudaEnableDefault, &found));
    same("no entry point", address == nullptr && found == cudaDriverEntryPointSymbolNotFound);
    FAILS(cudaGetDriverEntryPoint("cuMemAlloc", &address, 3, &found), cudaErrorInvalidValue);
    FAILS(cudaGetDriverEntryPoint(nullptr, &address, 0, &found), cudaErrorInvalidValue);
    // The table that begins with its size.
    cudaUUID_t id;
    std::memcpy(id.bytes, "\x6b\xd5\xfb\x6c\x5b\xf4\xe7\x4a\x89\x87\xd9\x39\x12\xfd\x9d\xf9", 16);
    const void *table = nullptr;
    OK(cudaGetExportTable(&table, &id));
    same("table", table != nullptr && *(const size_t *)table >= 2 * sizeof(void *));
    id.bytes[0] = 0;
    FAILS(cudaGetExportTable(&table, &id), cudaErrorSymbolNotFound);
    FAILS(cudaGetExportTable(nullptr, &id), cudaErrorInvalidValue);
}

int main()
{
    int *memory;
    OK(cudaMalloc(&memory, 64 * sizeof(int)));
    occupancy();
    kernels(memory);
    several_devices(memory);
    captures();
    host_functions();
    entry_points();
    OK(cudaFree(memory));
    std::printf("%d wrong\n", wrong);
}
