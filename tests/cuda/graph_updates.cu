// Whole updates of what was instantiated: what may change, and what is said of what may not.
#include "checks.h"

__global__ void add(int *data, int number) { data[threadIdx.x] += number; }
__global__ void twice(int *data, int) { data[threadIdx.x] *= 2; }
static void nothing(void *) {}

static int *memory, *other;

struct Graph {
    cudaGraph_t graph;
    cudaGraphNode_t node[4];
    // A set, two kernels behind it, and one behind both.
    Graph(void (*last)(int *, int) = add, int number = 1, int height = 1)
    {
        OK(cudaGraphCreate(&graph, 0));
        cudaMemsetParams fill = {};
        fill.dst = memory, fill.elementSize = 4, fill.width = 2, fill.height = height, fill.pitch = 8;
        OK(cudaGraphAddMemsetNode(&node[0], graph, nullptr, 0, &fill));
        for (int i = 1; i < 3; i++) kernel(i, add, memory + i - 1, number, 1, &node[0], 1);
        kernel(3, last, memory, number, 2, &node[1], 2);
    }
    ~Graph() { OK(cudaGraphDestroy(graph)); }
    void kernel(int i, void (*f)(int *, int), int *at, int number, int threads, cudaGraphNode_t *before, size_t count)
    {
        void *args[] = {&at, &number};
        cudaKernelNodeParams params = {};
        params.func = (void *)f, params.gridDim = dim3(1), params.blockDim = dim3(threads), params.kernelParams = args;
        OK(cudaGraphAddKernelNode(&node[i], graph, before, count, &params));
    }
};

static cudaGraphExecUpdateResultInfo info;

static void fails(const char *what, cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResult result)
{
    is(what, cudaGraphExecUpdate(exec, graph, &info), cudaErrorGraphExecUpdateFailure);
    if (info.result != result) std::printf("%s: result %d\n", what, info.result), wrong++;
}

static int run(cudaGraphExec_t exec)
{
    int found[2] = {};
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaMemcpy(found, memory, sizeof found, cudaMemcpyDeviceToHost));
    return found[0] * 1000 + found[1];
}

int main()
{
    OK(cudaMalloc(&memory, 64));
    OK(cudaMalloc(&other, 64));
    Graph first;
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, first.graph, 0));
    same("as made", run(exec) == 2002);
    {
        Graph five(twice, 5);
        OK(cudaGraphExecUpdate(exec, five.graph, &info));
        same("success", info.result == cudaGraphExecUpdateSuccess && !info.errorNode);
        same("another function", run(exec) == 10010);
    }
    {
        Graph more;
        cudaGraphNode_t node;
        OK(cudaGraphAddEmptyNode(&node, more.graph, more.node, 1));
        fails("more nodes", exec, more.graph, cudaGraphExecUpdateErrorTopologyChanged);
        same("no node", !info.errorNode);
        OK(cudaGraphDestroyNode(more.node[3]));
        fails("other ends", exec, more.graph, cudaGraphExecUpdateErrorTopologyChanged);
        same("an end", info.errorNode == node || info.errorNode == more.node[2]);
    }
    {
        Graph less;
#if CUDART_VERSION >= 13000
        OK(cudaGraphRemoveDependencies(less.graph, &less.node[1], &less.node[3], nullptr, 1));
        OK(cudaGraphAddDependencies(less.graph, &less.node[1], &less.node[2], nullptr, 1));
#else
        OK(cudaGraphRemoveDependencies(less.graph, &less.node[1], &less.node[3], 1));
        OK(cudaGraphAddDependencies(less.graph, &less.node[1], &less.node[2], 1));
#endif
        fails("other edges", exec, less.graph, cudaGraphExecUpdateErrorTopologyChanged);
        same("its node", info.errorNode == less.node[3]);
    }
    {
        Graph kinds;
        OK(cudaGraphDestroyNode(kinds.node[3]));
        cudaHostNodeParams host = {nothing, nullptr};
        OK(cudaGraphAddHostNode(&kinds.node[3], kinds.graph, &kinds.node[1], 2, &host));
        fails("another kind", exec, kinds.graph, cudaGraphExecUpdateErrorNodeTypeChanged);
        same("its node", info.errorNode == kinds.node[3]);
    }
    {
        Graph rows(add, 1, 2);
        fails("another height", exec, rows.graph, cudaGraphExecUpdateErrorParametersChanged);
        same("its node", info.errorNode == rows.node[0]);
    }
    {
        Graph together;
        cudaKernelNodeAttrValue value = {};
        value.cooperative = 1;
        OK(cudaGraphKernelNodeSetAttribute(together.node[3], cudaLaunchAttributeCooperative, &value));
        fails("an attribute", exec, together.graph, cudaGraphExecUpdateErrorAttributesChanged);
        same("its node", info.errorNode == together.node[3]);
    }
    same("as before", run(exec) == 10010);
    // The order in which edges and ends were made pairs the nodes, and not that of the nodes.
    {
        cudaGraph_t graph;
        cudaStream_t a, b;
        cudaEvent_t fork, join;
        OK(cudaStreamCreate(&a));
        OK(cudaStreamCreate(&b));
        OK(cudaEventCreate(&fork));
        OK(cudaEventCreate(&join));
        OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
        OK(cudaMemsetAsync(memory, 0, 8, a));
        OK(cudaEventRecord(fork, a));
        OK(cudaStreamWaitEvent(b, fork, 0));
        add<<<1, 1, 0, b>>>(memory + 1, 7);
        add<<<1, 1, 0, a>>>(memory, 3);
        OK(cudaEventRecord(join, b));
        OK(cudaStreamWaitEvent(a, join, 0));
        add<<<1, 2, 0, a>>>(memory, 1);
        OK(cudaStreamEndCapture(a, &graph));
        OK(cudaGraphExecUpdate(exec, graph, &info));
        same("a capture", run(exec) == 4008);
        OK(cudaGraphDestroy(graph));
        OK(cudaStreamDestroy(a));
        OK(cudaStreamDestroy(b));
        OK(cudaEventDestroy(fork));
        OK(cudaEventDestroy(join));
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaFree(memory));
    OK(cudaFree(other));
    std::printf("%d wrong\n", wrong);
}
