// What is used seldom: attributes of streams, entry points, occupancy, captures, memory of arrays, fills of rectangles.
// only: 13-shared 13-static
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <vector>

// They stand in a header that comes with a package of its own.
extern "C" cudaError_t cudaProfilerStart();
extern "C" cudaError_t cudaProfilerStop();

static int wrong;

static void is(const char *what, cudaError_t found, cudaError_t expected = cudaSuccess)
{
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

__global__ void __launch_bounds__(256) kernel(float *out, int n, double x)
{
    if (n > 0) out[threadIdx.x] = x;
}

static void peers()
{
    int value = -1;
    FAILS(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    FAILS(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
    FAILS(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 7), cudaErrorInvalidDevice);
    OK(cudaGetLastError() == cudaErrorInvalidDevice ? cudaSuccess : cudaErrorUnknown);
}

static void streams()
{
    cudaStream_t stream, other;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&other));
    cudaLaunchAttributeValue value = {};
    value.syncPolicy = cudaSyncPolicyYield;
    OK(cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
    OK(cudaStreamCopyAttributes(other, stream));
    value = {};
    OK(cudaStreamGetAttribute(other, cudaLaunchAttributeSynchronizationPolicy, &value));
    same("copied attribute", value.syncPolicy == cudaSyncPolicyYield);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    OK(cudaThreadExchangeStreamCaptureMode(&mode));
    same("mode of captures", mode == cudaStreamCaptureModeGlobal);
    cudaEvent_t event, end;
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&end));
    OK(cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault));
    OK(cudaEventRecordWithFlags(end, stream, cudaEventRecordDefault));
    OK(cudaEventSynchronize(end));
    float time = -1;
    OK(cudaEventElapsedTime(&time, event, end));
    same("time", time >= 0 && time < 1000);
    OK(cudaEventDestroy(event));
    OK(cudaEventDestroy(end));
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamDestroy(other));
}

static void kernels()
{
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
    std::printf("%d blocks\n", blocks);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 512, 0));
    // An NVIDIA H200 (sm_90) answered 4, driver 580.159.04, CUDA 13.0, 2026-11-28: bounds of a kernel do not count.
    std::printf("%d blocks that are too large\n", blocks);
    size_t offset = 0, size = 0;
    OK(cudaFuncGetParamInfo((const void *)kernel, 2, &offset, &size));
    std::printf("%zu bytes at %zu\n", size, offset);
    void *address = nullptr;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &address, 12000, cudaEnableDefault, &found));
    same("entry point", address != nullptr && found == cudaDriverEntryPointSuccess);
    CUdeviceptr memory = 0;
    same("its call", ((CUresult(*)(CUdeviceptr *, size_t))address)(&memory, 64) == CUDA_SUCCESS);
    OK(cudaFree((void *)memory));
    OK(cudaGetDriverEntryPointByVersion("cuNothing", &address, 12000, cudaEnableDefault, &found));
    same("no entry point", found == cudaDriverEntryPointSymbolNotFound);
    OK(cudaProfilerStart());
    OK(cudaProfilerStop());
    OK(cudaCtxResetPersistingL2Cache());
}

static void rectangles()
{
    unsigned char *memory;
    std::vector<unsigned char> back(4 * 16 * 2), expected(back.size());
    OK(cudaMalloc(&memory, back.size()));
    OK(cudaMemset(memory, 0, back.size()));
    OK(cudaMemset2DAsync(memory + 1, 16, 7, 3, 2, nullptr));
    cudaPitchedPtr box = make_cudaPitchedPtr(memory + 8, 16, 4, 4);
    OK(cudaMemset3DAsync(box, 9, make_cudaExtent(4, 1, 2), nullptr));
    for (int y = 0; y < 2; y++) std::memset(&expected[16 * y + 1], 7, 3);
    for (int z = 0; z < 2; z++) std::memset(&expected[64 * z + 8], 9, 4);
    OK(cudaMemcpy2DAsync(back.data(), 32, memory, 32, 32, 4, cudaMemcpyDeviceToHost, nullptr));
    same("fill", back == expected);
    cudaArray_t array;
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
    OK(cudaMallocArray(&array, &bytes, 16, 8));
    OK(cudaMemcpy2DToArrayAsync(array, 0, 0, memory, 16, 16, 8, cudaMemcpyDeviceToDevice, nullptr));
    back.assign(back.size(), 1);
    OK(cudaMemcpy2DFromArrayAsync(back.data(), 16, array, 0, 0, 16, 8, cudaMemcpyDeviceToHost, nullptr));
    same("array", back == expected);
    cudaArrayMemoryRequirements needs = {};
    FAILS(cudaArrayGetMemoryRequirements(&needs, array, 0), cudaErrorInvalidValue);
    cudaArraySparseProperties sparse = {};
    FAILS(cudaArrayGetSparseProperties(&sparse, array), cudaErrorInvalidValue);
    cudaGetLastError();
    OK(cudaMemcpyPeerAsync(memory + 64, 0, memory, 0, 64, nullptr));
    OK(cudaMemcpy(back.data(), memory, 128, cudaMemcpyDeviceToHost));
    same("copy of a peer", std::memcmp(&back[64], expected.data(), 64) == 0);
    OK(cudaFreeArray(array));
    OK(cudaFree(memory));
}

int main()
{
    peers();
    streams();
    kernels();
    rectangles();
    std::printf("%d wrong\n", wrong);
}
