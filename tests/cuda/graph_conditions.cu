// Conditional nodes: if, if and else, while, switch, with values set by kernels; launches of graphs by kernels.
// nvcc: -rdc=true -lcudadevrt
// only: 13-shared
#include "checks.h"

__global__ void decide(cudaGraphConditionalHandle handle, unsigned value) { cudaGraphSetConditional(handle, value); }
__global__ void count(int *data, int by) { *data += by; }
__global__ void down(int *left, cudaGraphConditionalHandle handle) { cudaGraphSetConditional(handle, --*left > 0); }

static int *memory;

static cudaGraphNode_t kernel(cudaGraph_t graph, void *f, void **args, cudaGraphNode_t *before = nullptr)
{
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = f, params.kernel.gridDim = dim3(1), params.kernel.blockDim = dim3(1);
    params.kernel.kernelParams = args;
    cudaGraphNode_t node;
    OK(cudaGraphAddNode(&node, graph, before, nullptr, before ? 1 : 0, &params));
    return node;
}

static cudaGraph_t *condition(cudaGraph_t graph, cudaGraphNode_t *node, cudaGraphConditionalHandle handle,
                              cudaGraphConditionalNodeType type, unsigned size, cudaGraphNode_t *before = nullptr)
{
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle, params.conditional.type = type, params.conditional.size = size;
    OK(cudaGraphAddNode(node, graph, before, nullptr, before ? 1 : 0, &params));
    return params.conditional.phGraph_out;
}

static int run(cudaGraph_t graph, int left = 0)
{
    int start[2] = {0, left}, end = -1;
    OK(cudaMemcpy(memory, start, sizeof start, cudaMemcpyHostToDevice));
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaMemcpy(&end, memory, 4, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecDestroy(exec));
    return end;
}

static void counts(cudaGraph_t graph, int by)
{
    void *args[] = {&memory, &by};
    kernel(graph, (void *)count, args);
}

int main()
{
    OK(cudaMalloc(&memory, 8));
    for (unsigned value = 0; value < 4; value++) {
        cudaGraph_t graph;
        OK(cudaGraphCreate(&graph, 0));
        cudaGraphConditionalHandle handle;
        OK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
        void *args[] = {&handle, &value};
        cudaGraphNode_t first = kernel(graph, (void *)decide, args), node[3];
        cudaGraph_t *body = condition(graph, &node[0], handle, cudaGraphCondTypeIf, 1, &first);
        counts(body[0], 1);
        body = condition(graph, &node[1], handle, cudaGraphCondTypeIf, 2, &node[0]);
        counts(body[0], 10);
        counts(body[1], 100);
        body = condition(graph, &node[2], handle, cudaGraphCondTypeSwitch, 3, &node[1]);
        for (int i = 0; i < 3; i++) counts(body[i], 1000 * (i + 1));
        std::printf("%u: %d\n", value, run(graph));
        cudaGraphNodeType type;
        OK(cudaGraphNodeGetType(node[2], &type));
        same("type", type == cudaGraphNodeTypeConditional);
        cudaGraph_t clone;
        OK(cudaGraphClone(&clone, graph));
        std::printf("clone: %d\n", run(clone));
        OK(cudaGraphDestroy(clone));
        OK(cudaGraphDestroy(graph));
    }
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle, unused;
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNode_t node;
    cudaGraph_t *body = condition(graph, &node, handle, cudaGraphCondTypeWhile, 1);
    counts(body[0], 1);
    int *left = memory + 1;
    void *args[] = {&left, &handle};
    kernel(body[0], (void *)down, args);
    std::printf("while: %d\n", run(graph, 5));
    std::printf("while: %d\n", run(graph, 1));
    // A body that is captured: the graph is known, and is not asked for.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaGraphNode_t before[2];
    size_t nodes = 2;
    OK(cudaGraphGetNodes(body[0], before, &nodes));
    OK(cudaStreamBeginCaptureToGraph(stream, body[0], before, nullptr, nodes, cudaStreamCaptureModeGlobal));
    count<<<1, 1, 0, stream>>>(memory, 100);
    OK(cudaStreamEndCapture(stream, nullptr));
    OK(cudaStreamDestroy(stream));
    std::printf("while: %d\n", run(graph, 3));
    cudaGraphNodeParams params = {cudaGraphNodeTypeConditional};
    params.conditional.handle = handle, params.conditional.type = cudaGraphCondTypeWhile, params.conditional.size = 2;
    FAILS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), cudaErrorInvalidValue);
    params.conditional.size = 1, params.conditional.handle = 1;
    FAILS(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), cudaErrorInvalidValue);
    OK(cudaGraphConditionalHandleCreate_v2(&unused, graph, nullptr, 0, 0));
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams how = {};
    FAILS(cudaGraphInstantiateWithParams(&exec, graph, &how), cudaErrorInvalidValue);
    same("unused handle", how.result_out == cudaGraphInstantiateConditionalHandleUnused);
    OK(cudaGraphDestroy(graph));
    // A host function is not for the body of a condition.
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
    body = condition(graph, &node, handle, cudaGraphCondTypeIf, 1);
    cudaHostNodeParams host = {[](void *) {}, nullptr};
    cudaGraphNode_t bad;
    OK(cudaGraphAddHostNode(&bad, body[0], nullptr, 0, &host));
    FAILS(cudaGraphInstantiateWithParams(&exec, graph, &how), cudaErrorNotSupported);
    same("not in a body", how.result_out == cudaGraphInstantiateNodeOperationNotSupported && how.errNode_out == bad);
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(memory));
    std::printf("%d wrong\n", wrong);
}
