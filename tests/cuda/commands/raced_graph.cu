// Nodes of a graph that nothing orders, for `texunit run --check race`; with `-ordered` behind the name an edge does.
#include <cstdio>
#include <cstring>
#include <string>

__global__ void put(int *p) { p[threadIdx.x] = threadIdx.x; }

__global__ void get(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] + 1; }

static int *p, *q;

static cudaGraphNode_t kernel(cudaGraph_t graph, const void *f, cudaGraphNode_t *before)
{
    void *args[] = {&p, &q};
    cudaKernelNodeParams params = {};
    params.func = (void *)f, params.gridDim = dim3(1), params.blockDim = dim3(64), params.kernelParams = args;
    cudaGraphNode_t node;
    cudaGraphAddKernelNode(&node, graph, before, before ? 1 : 0, &params);
    return node;
}

static cudaGraphNode_t set(cudaGraph_t graph, cudaGraphNode_t *before)
{
    cudaMemsetParams params = {};
    params.dst = p, params.elementSize = 4, params.width = 64, params.height = 1;
    cudaGraphNode_t node;
    cudaGraphAddMemsetNode(&node, graph, before, before ? 1 : 0, &params);
    return node;
}

static cudaGraphNode_t copy(cudaGraph_t graph, cudaGraphNode_t *before)
{
    cudaGraphNode_t node;
    cudaGraphAddMemcpyNode1D(&node, graph, before, before ? 1 : 0, q, p, 256, cudaMemcpyDeviceToDevice);
    return node;
}

int main(int, char **args)
{
    std::string name = args[1];
    auto end = name.find("-ordered");
    bool ordered = end != std::string::npos;
    if (ordered) name.resize(end);
    cudaMalloc(&p, 256);
    cudaMalloc(&q, 256);
    cudaMemset(p, 0, 256);
    cudaDeviceSynchronize();
    cudaGraph_t graph;
    cudaGraphNode_t first;
    cudaGraphNode_t *before = ordered ? &first : nullptr;
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    if (name == "captured") {
        cudaEvent_t fork, middle, join;
        cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&middle, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
        cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
        cudaEventRecord(fork, a);
        cudaStreamWaitEvent(b, fork, 0);
        get<<<1, 64, 0, a>>>(p, q);
        cudaEventRecord(middle, a);
        if (ordered) cudaStreamWaitEvent(b, middle, 0);
        put<<<1, 64, 0, b>>>(p);
        cudaEventRecord(join, b);
        cudaStreamWaitEvent(a, join, 0);
        cudaStreamEndCapture(a, &graph);
    } else {
        cudaGraphCreate(&graph, 0);
        if (name == "kernels" || name == "left") {
            first = kernel(graph, (const void *)get, nullptr);
            kernel(graph, (const void *)put, before);
        } else if (name == "set-first") {
            first = set(graph, nullptr);
            kernel(graph, (const void *)get, before);
        } else if (name == "set-last") {
            first = kernel(graph, (const void *)get, nullptr);
            set(graph, before);
        } else {
            first = copy(graph, nullptr);
            copy(graph, before);
        }
    }
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, a);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    if (name != "left") {
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(graph);
    }
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaFree(p);
    cudaFree(q);
}
