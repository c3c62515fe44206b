// Nodes of graphs that kernels update: parameters, grid, whether they run; graphs that are captured once more; the log of errors.
// nvcc: -rdc=true -lcudadevrt
// only: 13-shared
#include "checks.h"
#include <cstring>
#include <string>

__global__ void fill(int *to, int value) { to[blockIdx.x] = value; }

// What becomes of the node, by `how`; the answers.
__global__ void update(cudaGraphDeviceNode_t node, int how, int *other, int *code)
{
    switch (how) {
    case 0: *code = cudaGraphKernelNodeSetParam(node, sizeof(int *), 7); break;
    case 1: *code = cudaGraphKernelNodeSetGridDim(node, dim3(3)); break;
    case 2: *code = cudaGraphKernelNodeSetEnabled(node, false); break;
    case 3: {
        cudaGraphKernelNodeUpdate all[3] = {};
        int value = 9;
        all[0].node = all[1].node = all[2].node = node;
        all[0].field = cudaGraphKernelNodeFieldEnabled, all[0].updateData.isEnabled = 1;
        all[1].field = cudaGraphKernelNodeFieldGridDim, all[1].updateData.gridDim = dim3(2);
        all[2].field = cudaGraphKernelNodeFieldParam;
        all[2].updateData.param.pValue = &value, all[2].updateData.param.offset = sizeof(int *), all[2].updateData.param.size = 4;
        *code = cudaGraphKernelNodeUpdatesApply(all, 3);
        break;
    }
    case 4: *code = cudaGraphKernelNodeSetParam(node, 0, other); break;
    // No such parameter, no such field.
    case 5: *code = cudaGraphKernelNodeSetParam(node, 10, 7); break;
    default: {
        cudaGraphKernelNodeUpdate wrong = {};
        wrong.node = node;
        *code = cudaGraphKernelNodeUpdatesApply(&wrong, 1);
    }
    }
}

static int *memory, *other, *code, how;

static std::string words(int *from)
{
    int found[4];
    OK(cudaMemcpy(found, from, 16, cudaMemcpyDeviceToHost));
    OK(cudaMemset(from, 0, 16));
    std::string text;
    for (int word : found) text += " " + std::to_string(word);
    return text;
}

static cudaGraphNode_t kernel(cudaGraph_t graph, const void *f, void **args, const cudaGraphNode_t *before = nullptr)
{
    cudaKernelNodeParams params = {};
    params.func = (void *)f, params.gridDim = dim3(1), params.blockDim = dim3(1), params.kernelParams = args;
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, before, before ? 1 : 0, &params));
    return node;
}

static void updates()
{
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    int one = 1;
    void *fills[] = {&memory, &one};
    // The node is made, made one that kernels update, and then one before it that does so.
    cudaGraphNode_t node = kernel(graph, (const void *)fill, fills);
    cudaLaunchAttributeValue value = {};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    OK(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value));
    cudaGraphDeviceNode_t device = value.deviceUpdatableKernelNode.devNode;
    cudaLaunchAttributeValue again = {};
    OK(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &again));
    std::printf("handle %d\n", device && again.deviceUpdatableKernelNode.devNode == device);
    void *args[] = {&device, &how, &other, &code};
    cudaGraphNode_t first = kernel(graph, (const void *)update, args);
    OK(cudaGraphAddDependencies(graph, &first, &node, nullptr, 1));
    cudaGraphExec_t exec, second;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphUpload(exec, 0));
    for (how = 0; how < 7; how++) {
        cudaKernelNodeParams params = {};
        params.func = (void *)update, params.gridDim = dim3(1), params.blockDim = dim3(1), params.kernelParams = args;
        OK(cudaGraphExecKernelNodeSetParams(exec, first, &params));
        OK(cudaGraphLaunch(exec, 0));
        int answer = -1;
        OK(cudaMemcpy(&answer, code, 4, cudaMemcpyDeviceToHost));
        std::printf("update %d: %d:%s |%s\n", how, answer, words(memory).c_str(), words(other).c_str());
    }
    // What such nodes are not for.
    cudaGraph_t clone;
    cudaGraphExecUpdateResultInfo info;
    FAILS(cudaGraphInstantiate(&second, graph, 0), cudaErrorNotSupported);
    FAILS(cudaGraphClone(&clone, graph), cudaErrorNotSupported);
    FAILS(cudaGraphDestroyNode(node), cudaErrorNotSupported);
    FAILS(cudaGraphKernelNodeCopyAttributes(first, node), cudaErrorNotSupported);
    FAILS(cudaGraphExecUpdate(exec, graph, &info), cudaErrorGraphExecUpdateFailure);
    value.deviceUpdatableKernelNode.deviceUpdatable = 0;
    FAILS(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

// A launch that is captured gives the handle in its attribute.
static void captured()
{
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeDeviceUpdatableKernelNode;
    attribute.val.deviceUpdatableKernelNode.deviceUpdatable = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1), config.blockDim = dim3(1), config.stream = stream, config.attrs = &attribute, config.numAttrs = 1;
    FAILS(cudaLaunchKernelEx(&config, fill, memory, 4), cudaErrorInvalidValue);
    cudaGetLastError();
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    OK(cudaLaunchKernelEx(&config, fill, memory, 4));
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphDeviceNode_t node = attribute.val.deviceUpdatableKernelNode.devNode;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    // A kernel of a stream updates it between two launches.
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    std::printf("captured:%s", words(memory).c_str());
    update<<<1, 1, 0, stream>>>(node, 1, other, code);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    std::printf(" then%s\n", words(memory).c_str());
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

static cudaError_t changed(void *data, cudaGraphNode_t, const cudaGraphNodeParams *original, const cudaGraphNodeParams *now,
                           cudaGraphRecaptureStatus status)
{
    std::printf("%s: node of type %d changes, grid %u to %u, its function %d, status %d\n", (const char *)data, original->type,
                original->kernel.gridDim.x, now->kernel.gridDim.x, now->kernel.func == (void *)fill, status);
    return cudaSuccess;
}

static void again()
{
    cudaStream_t stream;
    cudaGraph_t graph, same;
    cudaGraphExec_t exec;
    OK(cudaStreamCreate(&stream));
    char name[] = "again";
    cudaGraphRecaptureCallbackData told = {changed, name};
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    fill<<<1, 1, 0, stream>>>(memory, 1);
    fill<<<1, 1, 0, stream>>>(memory + 3, 2);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaStreamBeginRecaptureToGraph(stream, cudaStreamCaptureModeRelaxed, graph, &told));
    fill<<<2, 1, 0, stream>>>(memory, 5);
    fill<<<1, 1, 0, stream>>>(memory + 3, 2);
    OK(cudaStreamEndCapture(stream, &same));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    std::printf("same %d:%s\n", same == graph, words(memory).c_str());
    OK(cudaStreamBeginRecaptureToGraph(stream, cudaStreamCaptureModeRelaxed, graph, nullptr));
    fill<<<2, 1, 0, stream>>>(memory, 5);
    FAILS(cudaStreamEndCapture(stream, &same), cudaErrorGraphRecaptureFailure);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

static int messages;

static void logged(void *, cudaLogLevel level, char *text, size_t size)
{
    if (level == cudaLogLevelError && std::strlen(text) == size && std::strstr(text, "cudaFree")) messages++;
}

static void errors()
{
    cudaLogsCallbackHandle handle;
    cudaLogIterator since;
    OK(cudaLogsRegisterCallback(logged, nullptr, &handle));
    OK(cudaLogsCurrent(&since, 0));
    FAILS(cudaFree((void *)64), cudaErrorInvalidValue);
    char text[4096];
    size_t size = sizeof text;
    OK(cudaLogsDumpToMemory(&since, text, &size, 0));
    std::printf("log: %d, %d\n", messages, size > 0 && std::strstr(text, "cudaFree") != nullptr);
    char file[] = "/tmp/texunit-log-XXXXXX";
    close(mkstemp(file));
    OK(cudaLogsDumpToFile(nullptr, file, 0));
    std::remove(file);
    OK(cudaLogsUnregisterCallback(handle));
    // What links between devices do of atomic operations.
    cudaAtomicOperation operation = cudaAtomicOperationCAS;
    unsigned found = 1;
    OK(cudaDeviceGetHostAtomicCapabilities(&found, &operation, 1, 0));
    FAILS(cudaDeviceGetP2PAtomicCapabilities(&found, &operation, 1, 0, 0), cudaErrorInvalidDevice);
    std::printf("atomics of the host: %u\n", found);
    cudaAsyncCallbackHandle_t callback;
    OK(cudaDeviceRegisterAsyncNotification(0, [](cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}, nullptr, &callback));
    OK(cudaDeviceUnregisterAsyncNotification(0, callback));
}

int main()
{
    OK(cudaMalloc(&memory, 16));
    OK(cudaMalloc(&other, 16));
    OK(cudaMalloc(&code, 4));
    OK(cudaMemset(memory, 0, 16));
    OK(cudaMemset(other, 0, 16));
    updates();
    captured();
    again();
    errors();
    return wrong != 0;
}
