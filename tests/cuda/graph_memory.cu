// Nodes that allocate and free memory, and their rules.
#include "checks.h"

__global__ void add(int *data, int number) { data[threadIdx.x] += number; }

static cudaMemAllocNodeParams four_ints()
{
    cudaMemAllocNodeParams params = {};
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = 4 * sizeof(int);
    return params;
}

static size_t attribute(cudaGraphMemAttributeType which)
{
    unsigned long long value = 77;
    OK(cudaDeviceGetGraphMemAttribute(0, which, &value));
    return value;
}

static void by_hand()
{
    int *out;
    OK(cudaMalloc(&out, 16));
    OK(cudaMemset(out, 0, 16));
    cudaGraph_t graph, clone;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = four_ints(), found = {};
    cudaGraphNode_t alloc, fill, kernel, copy, release;
    OK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
    void *memory = params.dptr, *asked = nullptr;
    OK(cudaGraphMemAllocNodeGetParams(alloc, &found));
    same("address", memory && found.dptr == memory && found.bytesize == 16);
    // The memory is not there yet.
    FAILS(cudaMemset(memory, 0, 16), cudaErrorInvalidValue);
    cudaMemsetParams set = {};
    set.dst = memory, set.value = 4, set.elementSize = 4, set.width = 4, set.height = 1;
    OK(cudaGraphAddMemsetNode(&fill, graph, &alloc, 1, &set));
    int three = 3;
    void *args[] = {&memory, &three};
    cudaKernelNodeParams adds = {};
    adds.func = (void *)add, adds.gridDim = dim3(1), adds.blockDim = dim3(4), adds.kernelParams = args;
    OK(cudaGraphAddKernelNode(&kernel, graph, &fill, 1, &adds));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, out, memory, 16, cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, memory));
    OK(cudaGraphMemFreeNodeGetParams(release, &asked));
    same("freed address", asked == memory);
    FAILS(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    FAILS(cudaGraphDestroyNode(copy), cudaErrorNotSupported);
    cudaGraphExec_t exec, second;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    FAILS(cudaGraphInstantiate(&second, graph, 0), cudaErrorNotSupported);
    int value = 0;
    for (int i = 0; i < 3; i++) OK(cudaGraphLaunch(exec, 0));
    OK(cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost));
    same("result", value == 7);
    same("nothing is left", attribute(cudaGraphMemAttrUsedMemCurrent) == 0 && attribute(cudaGraphMemAttrUsedMemHigh) == 16);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(out));
}

static void kept()
{
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = four_ints();
    cudaGraphNode_t alloc;
    OK(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    int number = 9, found = 0;
    OK(cudaMemcpy(params.dptr, &number, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(&found, params.dptr, 4, cudaMemcpyDeviceToHost));
    same("memory of a graph", found == 9 && attribute(cudaGraphMemAttrUsedMemCurrent) == 16);
    FAILS(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue);
    OK(cudaFree(params.dptr));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaFreeAsync(params.dptr, 0));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphInstantiateWithFlags(&exec, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaFree(params.dptr));
    unsigned long long zero = 0;
    OK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    same("mark", attribute(cudaGraphMemAttrUsedMemHigh) == 0);
    FAILS(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero), cudaErrorInvalidValue);
    OK(cudaDeviceGraphMemTrim(0));
    same("trimmed", attribute(cudaGraphMemAttrReservedMemCurrent) == 0 && attribute(cudaGraphMemAttrReservedMemHigh) > 0);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    params.bytesize = 0;
    OK(cudaGraphCreate(&graph, 0));
    FAILS(cudaGraphAddMemAllocNode(&alloc, graph, nullptr, 0, &params), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(graph));
}

static void captured()
{
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    int host[4] = {1, 2, 3, 4}, back[4] = {}, *memory = nullptr;
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaMallocAsync(&memory, 16, stream));
    OK(cudaMemcpyAsync(memory, host, 16, cudaMemcpyHostToDevice, stream));
    add<<<1, 4, 0, stream>>>(memory, 10);
    OK(cudaMemcpyAsync(back, memory, 16, cudaMemcpyDeviceToHost, stream));
    OK(cudaFreeAsync(memory, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    same("captured memory", back[0] == 11 && back[3] == 14);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

int main()
{
    by_hand();
    kept();
    captured();
    std::printf("%d wrong\n", wrong);
}
