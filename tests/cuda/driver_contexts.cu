// Contexts, devices, streams and events of the driver API, also by functions that only old programs call.
// nvcc: -lcuda
// only: 13-shared
#include <cstdio>
#include <cstring>
#include <cuda.h>

// Functions that cuda.h hides behind newer ones of the same name.
extern "C" {
CUresult ctx_create_1(CUcontext *, unsigned, CUdevice) asm("cuCtxCreate");
CUresult ctx_create_2(CUcontext *, unsigned, CUdevice) asm("cuCtxCreate_v2");
CUresult ctx_create_3(CUcontext *, CUexecAffinityParam *, int, unsigned, CUdevice) asm("cuCtxCreate_v3");
CUresult ctx_create_4(CUcontext *, CUctxCreateParams *, unsigned, CUdevice) asm("cuCtxCreate_v4");
CUresult ctx_destroy_1(CUcontext) asm("cuCtxDestroy");
CUresult ctx_push_1(CUcontext) asm("cuCtxPushCurrent");
CUresult ctx_pop_1(CUcontext *) asm("cuCtxPopCurrent");
CUresult ctx_device_2(CUdevice *, CUcontext) asm("cuCtxGetDevice_v2");
CUresult ctx_synchronize_2(CUcontext) asm("cuCtxSynchronize_v2");
CUresult total_memory_1(unsigned *, CUdevice) asm("cuDeviceTotalMem");
CUresult device_uuid_1(CUuuid *, CUdevice) asm("cuDeviceGetUuid");
CUresult stream_destroy_1(CUstream) asm("cuStreamDestroy");
CUresult event_destroy_1(CUevent) asm("cuEventDestroy");
CUresult event_elapsed_1(float *, CUevent, CUevent) asm("cuEventElapsedTime");
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
CUresult proc_address_1(const char *, void **, int, cuuint64_t) asm("cuGetProcAddress");
}

static int wrong;

static void is(const char *what, CUresult found, CUresult expected = CUDA_SUCCESS)
{
    if (found == expected) return;
    const char *name = nullptr;
    cuGetErrorName(found, &name);
    std::printf("%s: %s\n", what, name);
    wrong++;
}

static void same(const char *what, bool condition)
{
    if (!condition) std::printf("%s is wrong\n", what), wrong++;
}

#define OK(call) is(#call, call)
#define FAILS(call, code) is(#call, call, code)

// A context with two users ends with the second; one that is not current has none to give up.
static void attached(CUdevice device)
{
    CUcontext before, own, again, current;
    OK(cuCtxGetCurrent(&before));
    OK(ctx_create_2(&own, 0, device));
    OK(cuCtxAttach(&again, 0));
    same("the attached context", again == own);
    FAILS(cuCtxAttach(&again, 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuCtxDetach(before), CUDA_ERROR_INVALID_CONTEXT);
    OK(cuCtxDetach(own));
    OK(cuCtxGetCurrent(&current));
    same("a context with a user", current == own);
    OK(cuCtxDetach(own));
    OK(cuCtxGetCurrent(&current));
    same("the context before", current == before);
    FAILS(cuCtxDetach(own), CUDA_ERROR_INVALID_CONTEXT);
}

static void contexts(CUdevice device)
{
    CUcontext all[4], popped, current;
    OK(ctx_create_1(&all[0], 0, device));
    OK(ctx_create_2(&all[1], CU_CTX_SCHED_YIELD, device));
    OK(ctx_create_3(&all[2], nullptr, 0, 0, device));
    OK(ctx_create_4(&all[3], nullptr, 0, device));
    OK(cuCtxGetCurrent(&current));
    same("the newest context", current == all[3]);
    OK(ctx_pop_1(&popped));
    same("the popped context", popped == all[3]);
    OK(ctx_push_1(all[1]));
    unsigned flags = 0, version = 0;
    OK(cuCtxGetFlags(&flags));
    same("flags", (flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_YIELD);
    OK(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
    OK(cuCtxGetFlags(&flags));
    same("new flags", (flags & CU_CTX_SCHED_MASK) == CU_CTX_SCHED_SPIN);
    OK(cuCtxGetApiVersion(all[1], &version));
    same("version of the API", version >= 3020);
    unsigned long long id[2];
    OK(cuCtxGetId(all[0], &id[0]));
    OK(cuCtxGetId(nullptr, &id[1]));
    same("numbers of contexts", id[0] != id[1]);
    CUdevice found = -1;
    OK(ctx_device_2(&found, all[2]));
    same("device", found == device);
    OK(ctx_synchronize_2(all[2]));
    OK(cuCtxResetPersistingL2Cache());
    CUsharedconfig config;
    OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    OK(cuCtxGetSharedMemConfig(&config));
    same("banks", config == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
    OK(cuCtxGetSharedMemConfig(&config));
    same("the only banks", config == CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE);
    attached(device);
    FAILS(cuCtxEnablePeerAccess(nullptr, 0), CUDA_ERROR_INVALID_CONTEXT);
    FAILS(cuCtxDisablePeerAccess(all[2]), CUDA_ERROR_PEER_ACCESS_NOT_ENABLED);
    OK(ctx_destroy_1(all[1]));
    for (int i : {0, 2, 3}) OK(cuCtxDestroy(all[i]));
    FAILS(cuCtxDestroy(all[0]), CUDA_ERROR_INVALID_CONTEXT);
}

static void devices(CUdevice device)
{
    int major = 0, minor = 0, supported = -1, value = -1;
    OK(cuDeviceComputeCapability(&major, &minor, device));
    std::printf("sm_%d%d\n", major, minor);
    CUdevprop properties;
    OK(cuDeviceGetProperties(&properties, device));
    std::printf("%d %d %d\n", properties.maxThreadsPerBlock, properties.SIMDWidth, properties.regsPerBlock);
    unsigned small = 0;
    OK(total_memory_1(&small, device));
    same("memory", small > 0);
    CUuuid first, second;
    OK(device_uuid_1(&first, device));
    OK(cuDeviceGetUuid(&second, device));
    same("UUID", std::memcmp(&first, &second, sizeof first) == 0);
    OK(cuDeviceGetExecAffinitySupport(&supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, device));
    size_t width = 0;
    OK(cuDeviceGetTexture1DLinearMaxWidth(&width, CU_AD_FORMAT_FLOAT, 4, device));
    std::printf("%zu\n", width);
    FAILS(cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, device, device),
          CUDA_ERROR_INVALID_DEVICE);
}

static void streams()
{
    CUstream stream, other;
    CUcontext context, of_stream;
    CUevent start, end;
    float time = -1;
    OK(cuCtxGetCurrent(&context));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuStreamCreateWithPriority(&other, CU_STREAM_NON_BLOCKING, 0));
    OK(cuStreamGetCtx(stream, &of_stream));
    same("context of a stream", of_stream == context);
    CUstreamAttrValue value = {};
    value.syncPolicy = CU_SYNC_POLICY_YIELD;
    OK(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    OK(cuStreamCopyAttributes(other, stream));
    value = {};
    OK(cuStreamGetAttribute(other, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    same("copied attribute", value.syncPolicy == CU_SYNC_POLICY_YIELD);
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    same("mode of captures", mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuEventCreate(&start, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&end, CU_EVENT_DEFAULT));
    OK(cuEventRecord(start, stream));
    OK(cuEventRecord(end, stream));
    OK(event_elapsed_1(&time, start, end));
    same("time", time >= 0 && time < 1000);
    OK(event_destroy_1(start));
    FAILS(cuEventQuery(start), CUDA_ERROR_INVALID_HANDLE);
    OK(cuEventDestroy(end));
    OK(stream_destroy_1(other));
    OK(cuStreamDestroy(stream));
}

int main()
{
    CUdevice device;
    CUcontext primary, again;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    contexts(device);
    devices(device);
    OK(cuDevicePrimaryCtxSetFlags(device, CU_CTX_SCHED_BLOCKING_SYNC));
    OK(cuDevicePrimaryCtxRetain(&primary, device));
    OK(cuCtxSetCurrent(primary));
    streams();
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 64));
    OK(cuDevicePrimaryCtxReset(device));
    OK(cuDevicePrimaryCtxRetain(&again, device));
    same("the primary context", primary == again);
    FAILS(cuMemFree(memory), CUDA_ERROR_INVALID_VALUE);
    void *address = nullptr;
    OK(proc_address_1("cuMemAlloc", &address, 12000, 0));
    same("address of a function", address == (void *)cuMemAlloc);
    CUmoduleLoadingMode mode;
    OK(cuModuleGetLoadingMode(&mode));
    OK(cuProfilerStart());
    OK(cuProfilerStop());
    OK(cuDevicePrimaryCtxRelease(device));
    std::printf("%d wrong\n", wrong);
}
