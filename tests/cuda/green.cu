// Green contexts of the driver, and execution contexts of the runtime.
// nvcc: -lcuda
// only: 13-shared
#include "checks.h"
#include <cuda.h>

static void is(const char *what, CUresult found, CUresult expected = CUDA_SUCCESS)
{
    if (found == expected) return;
    const char *name = nullptr;
    cuGetErrorName(found, &name);
    std::printf("%s: %s\n", what, name);
    wrong++;
}

__global__ void add(int *to, int n)
{
    to[threadIdx.x] += n;
}

__global__ void fill(int *to)
{
    if (threadIdx.x == 0) to[blockIdx.x] = 1;
}

static unsigned sms(const CUdevResource &resource)
{
    return resource.type == CU_DEV_RESOURCE_TYPE_SM ? resource.sm.smCount : 0;
}

static void splits(const CUdevResource &all)
{
    unsigned count = 0, total = sms(all);
    CUdevResource parts[64], rest;
    OK(cuDevSmResourceSplitByCount(nullptr, &count, &all, nullptr, 0, 4));
    same("groups of 4", count == total / 4);
    count = 2;
    OK(cuDevSmResourceSplitByCount(parts, &count, &all, &rest, 0, 5));
    same("two parts of 6", count == 2 && sms(parts[0]) == 6 && sms(parts[1]) == 6 && sms(rest) == total - 12);
    count = 1;
    OK(cuDevSmResourceSplitByCount(parts, &count, &all, &rest, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 1));
    same("a part of 2", sms(parts[0]) == 2);
    FAILS(cuDevSmResourceSplitByCount(parts, &count, &parts[0], nullptr, 0, 2), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    FAILS(cuDevSmResourceSplitByCount(parts, &count, &all, nullptr, 0, total + 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuDevSmResourceSplitByCount(parts, &count, &all, nullptr, 8, 2), CUDA_ERROR_INVALID_VALUE);
    CUdevResource own = {};
    own.type = CU_DEV_RESOURCE_TYPE_SM;
    own.sm.smCount = 2;
    FAILS(cuDevSmResourceSplitByCount(parts, &count, &own, nullptr, 0, 2), CUDA_ERROR_INVALID_RESOURCE_TYPE);

    CU_DEV_SM_RESOURCE_GROUP_PARAMS groups[2] = {};
    groups[0].smCount = 8;
    groups[0].coscheduledSmCount = 2;
    groups[1].flags = CU_DEV_SM_RESOURCE_GROUP_BACKFILL;
    OK(cuDevSmResourceSplit(parts, 2, &all, &rest, 0, groups));
    same("8 and all others", sms(parts[0]) == 8 && sms(parts[1]) == total - 8 && groups[1].smCount == total - 8);
    same("nothing is left", rest.type == CU_DEV_RESOURCE_TYPE_INVALID);
    groups[0].smCount = 7;
    FAILS(cuDevSmResourceSplit(parts, 1, &all, &rest, 0, groups), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    groups[0].smCount = total + 2;
    FAILS(cuDevSmResourceSplit(parts, 1, &all, &rest, 0, groups), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    groups[0].smCount = 2;
    groups[0].reserved[3] = 1;
    FAILS(cuDevSmResourceSplit(parts, 1, &all, &rest, 0, groups), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuDevSmResourceSplit(parts, 1000000, &all, &rest, 0, groups), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
}

static void descriptors(const CUdevResource &all, CUdevice device)
{
    CUdevResource parts[3], queues;
    CUdevResourceDesc desc;
    unsigned count = 2;
    OK(cuDevSmResourceSplitByCount(parts, &count, &all, nullptr, 0, 4));
    OK(cuDeviceGetDevResource(device, &queues, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG));
    same("queues", queues.wqConfig.device == device && queues.wqConfig.wqConcurrencyLimit == 8);
    parts[2] = queues;
    OK(cuDevResourceGenerateDesc(&desc, parts, 3));
    CUgreenCtx green;
    OK(cuGreenCtxCreate(&green, desc, device, CU_GREEN_CTX_DEFAULT_STREAM));
    CUdevResource own;
    OK(cuGreenCtxGetDevResource(green, &own, CU_DEV_RESOURCE_TYPE_SM));
    same("both parts", sms(own) == 8);
    count = 1;
    OK(cuDevSmResourceSplitByCount(parts, &count, &own, nullptr, 0, 4));
    OK(cuGreenCtxDestroy(green));
    FAILS(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
    parts[1] = all;
    FAILS(cuDevResourceGenerateDesc(&desc, parts, 2), CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
    FAILS(cuDevResourceGenerateDesc(&desc, parts, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuDeviceGetDevResource(device, &parts[1], CU_DEV_RESOURCE_TYPE_WORKQUEUE));
    OK(cuDevResourceGenerateDesc(&desc, parts, 3));
    FAILS(cuDeviceGetDevResource(device, &own, CUdevResourceType(2)), CUDA_ERROR_INVALID_RESOURCE_TYPE);
    FAILS(cuGreenCtxCreate(&green, desc, device, 2), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGreenCtxCreate(&green, nullptr, device, 0), CUDA_ERROR_INVALID_VALUE);
}

static void contexts(const CUdevResource &all, CUdevice device, CUcontext primary)
{
    CUdevResource part, own;
    CUdevResourceDesc desc;
    unsigned count = 1;
    OK(cuDevSmResourceSplitByCount(&part, &count, &all, nullptr, 0, 4));
    OK(cuDevResourceGenerateDesc(&desc, &part, 1));
    CUgreenCtx green, found;
    OK(cuGreenCtxCreate(&green, desc, device, CU_GREEN_CTX_DEFAULT_STREAM));
    CUcontext context, current;
    OK(cuCtxFromGreenCtx(&context, green));
    same("a handle of its own", context != primary && (void *)context != (void *)green);
    OK(cuCtxGetDevResource(context, &own, CU_DEV_RESOURCE_TYPE_SM));
    same("its multiprocessors", sms(own) == 4);
    OK(cuCtxGetDevResource(primary, &own, CU_DEV_RESOURCE_TYPE_SM));
    same("all multiprocessors", sms(own) == sms(all));

    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 4096));
    OK(cuMemsetD32(memory, 5, 1024));
    OK(cuCtxSynchronize());
    CUstream stream;
    FAILS(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_DEFAULT, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
    OK(cuStreamGetGreenCtx(stream, &found));
    same("the context of the stream", found == green);
    OK(cuStreamGetCtx_v2(stream, &current, &found));
    same("both contexts of the stream", current == primary && found == green);
    OK(cuStreamGetGreenCtx(nullptr, &found));
    same("no green context", found == nullptr);
    OK(cuStreamGetDevResource(stream, &own, CU_DEV_RESOURCE_TYPE_SM));
    same("multiprocessors of the stream", sms(own) == 4);
    FAILS(cuStreamGetDevResource(stream, &own, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG), CUDA_ERROR_INVALID_RESOURCE_TYPE);
    add<<<1, 32, 0, stream>>>((int *)memory, 2);
    OK(cuStreamSynchronize(stream));
    int value = 0;
    OK(cuMemcpyDtoH(&value, memory, 4));
    same("what the kernel stores", value == 7);

    // A cooperative grid is no larger than four multiprocessors hold.
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1024, 0));
    void *arguments[] = {&memory};
    FAILS(cudaLaunchCooperativeKernel((void *)fill, 4 * blocks + 1, 1024, arguments, 0, stream), cudaErrorCooperativeLaunchTooLarge);
    OK(cudaLaunchCooperativeKernel((void *)fill, 4 * blocks, 1024, arguments, 0, stream));
    OK(cuStreamSynchronize(stream));
    OK(cudaLaunchCooperativeKernel((void *)fill, 4 * blocks + 1, 1024, arguments, 0, nullptr));

    // While it is current, streams are made in it, and memory is that of the primary context.
    OK(cuCtxPushCurrent(context));
    OK(cuCtxGetCurrent(&current));
    same("the current context", current == context);
    unsigned long long id, other;
    OK(cuGreenCtxGetId(green, &id));
    OK(cuGreenCtxGetId(nullptr, &other));
    same("the number", id == other);
    CUstream second;
    OK(cuStreamCreate(&second, CU_STREAM_DEFAULT));
    OK(cuStreamGetGreenCtx(second, &found));
    same("a stream that was made while it was current", found == green);
    FAILS(cuStreamGetCtx_v2(CU_STREAM_PER_THREAD, &current, &found), CUDA_ERROR_INVALID_HANDLE);
    OK(cuStreamGetGreenCtx(nullptr, &found));
    same("the default stream", found == green);
    OK(cuMemcpyDtoH(&value, memory + 128, 4));
    OK(cuCtxSynchronize());
    OK(cuCtxPopCurrent(&current));
    FAILS(cuGreenCtxGetId(nullptr, &other), CUDA_ERROR_INVALID_CONTEXT);

    CUevent event;
    OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    OK(cuGreenCtxRecordEvent(green, event));
    OK(cuGreenCtxWaitEvent(green, event));
    OK(cuEventDestroy(event));

    OK(cuCtxPushCurrent(context));
    OK(cuGreenCtxDestroy(green));
    FAILS(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    OK(cuCtxPopCurrent(&current));
    FAILS(cuCtxPushCurrent(context), CUDA_ERROR_INVALID_CONTEXT);
    FAILS(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_DETACHED);
    OK(cuStreamDestroy(stream));
    OK(cuStreamDestroy(second));
    OK(cuMemFree(memory));
}

// The runtime has one kind of handle for green contexts and those of devices.
static void runtime()
{
    cudaDevResource all, part, own;
    cudaDevResourceDesc_t desc;
    OK(cudaDeviceGetDevResource(0, &all, cudaDevResourceTypeSm));
    unsigned count = 1;
    OK(cudaDevSmResourceSplitByCount(&part, &count, &all, nullptr, 0, 4));
    cudaDevSmResourceGroupParams params = {};
    params.smCount = 4;
    OK(cudaDevSmResourceSplit(&part, 1, &all, nullptr, 0, &params));
    OK(cudaDevResourceGenerateDesc(&desc, &part, 1));
    cudaExecutionContext_t green, device;
    FAILS(cudaGreenCtxCreate(&green, desc, 0, 1), cudaErrorInvalidValue);
    OK(cudaGreenCtxCreate(&green, desc, 0, 0));
    OK(cudaDeviceGetExecutionCtx(&device, 0));
    int number = -1;
    OK(cudaExecutionCtxGetDevice(&number, green));
    same("the device", number == 0);
    unsigned long long a, b;
    OK(cudaExecutionCtxGetId(green, &a));
    OK(cudaExecutionCtxGetId(device, &b));
    same("different numbers", a != b);
    OK(cudaExecutionCtxGetDevResource(green, &own, cudaDevResourceTypeSm));
    same("four multiprocessors", own.sm.smCount == 4);
    OK(cudaExecutionCtxGetDevResource(device, &own, cudaDevResourceTypeSm));
    same("all of them", own.sm.smCount == all.sm.smCount);
    FAILS(cudaExecutionCtxGetDevResource(nullptr, &own, cudaDevResourceTypeSm), cudaErrorInvalidValue);

    int *memory;
    OK(cudaMalloc(&memory, 128));
    OK(cudaMemset(memory, 0, 128));
    OK(cudaDeviceSynchronize());
    cudaStream_t stream, plain;
    cudaEvent_t event;
    OK(cudaExecutionCtxStreamCreate(&stream, green, cudaStreamDefault, 0));
    OK(cudaExecutionCtxStreamCreate(&plain, device, cudaStreamDefault, 0));
    OK(cudaStreamGetDevResource(stream, &own, cudaDevResourceTypeSm));
    same("those of the stream", own.sm.smCount == 4);
    OK(cudaStreamGetDevResource(plain, &own, cudaDevResourceTypeSm));
    same("those of another stream", own.sm.smCount == all.sm.smCount);
    OK(cudaEventCreate(&event));
    add<<<1, 32, 0, stream>>>(memory, 3);
    OK(cudaExecutionCtxRecordEvent(green, event));
    OK(cudaExecutionCtxWaitEvent(device, event));
    add<<<1, 32, 0, plain>>>(memory, 4);
    OK(cudaExecutionCtxSynchronize(green));
    OK(cudaExecutionCtxSynchronize(device));
    int value;
    OK(cudaMemcpy(&value, memory, 4, cudaMemcpyDefault));
    same("the sum", value == 7);
    FAILS(cudaExecutionCtxDestroy(device), cudaErrorInvalidValue);
    OK(cudaExecutionCtxDestroy(green));
    FAILS(cudaStreamSynchronize(stream), cudaErrorStreamDetached);
    OK(cudaStreamDestroy(stream));
    OK(cudaStreamDestroy(plain));
    OK(cudaEventDestroy(event));
    OK(cudaFree(memory));
}

int main()
{
    CUdevice device;
    CUcontext primary;
    CUdevResource all;
    OK(cudaFree(nullptr));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxGetCurrent(&primary));
    OK(cuDeviceGetDevResource(device, &all, CU_DEV_RESOURCE_TYPE_SM));
    int count;
    OK(cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device));
    same("all multiprocessors of the device", (int)sms(all) == count);
    splits(all);
    descriptors(all, device);
    contexts(all, device, primary);
    runtime();
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
