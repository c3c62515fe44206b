// Graphs that kernels launch: at once, behind their own graph, and themselves once more.
// nvcc: -rdc=true -lcudadevrt
// only: 13-shared
#include "checks.h"

__global__ void add(int *data, int number) { *data += number; }
__global__ void start(cudaGraphExec_t graph, int *code) { *code = cudaGraphLaunch(graph, cudaStreamGraphFireAndForget); }
__global__ void later(cudaGraphExec_t graph) { cudaGraphLaunch(graph, cudaStreamGraphTailLaunch); }
__global__ void again(int *left)
{
    if (--*left > 0) cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}
__global__ void none(unsigned long long *out) { *out = (unsigned long long)cudaGetCurrentGraphExec(); }

static int *memory;

static cudaGraphNode_t kernel(cudaGraph_t graph, const void *f, void **args, cudaGraphNode_t *before = nullptr)
{
    cudaKernelNodeParams params = {};
    params.func = (void *)f, params.gridDim = dim3(1), params.blockDim = dim3(1), params.kernelParams = args;
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, before, before ? 1 : 0, &params));
    return node;
}

static int value(int i)
{
    int found = -1;
    OK(cudaMemcpy(&found, memory + i, 4, cudaMemcpyDeviceToHost));
    return found;
}

int main()
{
    OK(cudaMalloc(&memory, 16));
    int numbers[4] = {0, 4, 77, 0};
    OK(cudaMemcpy(memory, numbers, 16, cudaMemcpyHostToDevice));

    // A graph that launches itself until a counter is 0.
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    int one = 1, hundred = 100, *left = memory + 1, *code = memory + 2;
    void *adds[] = {&memory, &one}, *counts[] = {&left};
    cudaGraphNode_t first = kernel(graph, (const void *)add, adds);
    kernel(graph, (const void *)again, counts, &first);
    cudaGraphExec_t loop, inner, outer;
    OK(cudaGraphInstantiate(&loop, graph, cudaGraphInstantiateFlagDeviceLaunch));
    OK(cudaGraphUpload(loop, 0));
    OK(cudaGraphLaunch(loop, 0));
    OK(cudaDeviceSynchronize());
    std::printf("loop: %d, left %d\n", value(0), value(1));
    OK(cudaGraphDestroy(graph));

    // A graph that launches another one at once, and one that does so behind itself.
    OK(cudaGraphCreate(&graph, 0));
    void *more[] = {&memory, &hundred};
    kernel(graph, (const void *)add, more);
    OK(cudaGraphInstantiate(&inner, graph, cudaGraphInstantiateFlagDeviceLaunch));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphCreate(&graph, 0));
    void *starts[] = {&inner, &code}, *laters[] = {&inner};
    first = kernel(graph, (const void *)start, starts);
    kernel(graph, (const void *)later, laters, &first);
    OK(cudaGraphInstantiate(&outer, graph, cudaGraphInstantiateFlagDeviceLaunch));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(outer, 0));
    OK(cudaDeviceSynchronize());
    std::printf("others: %d, code %d\n", value(0), value(2));

    // Outside of graphs there is none.
    unsigned long long *handle, found = 7;
    OK(cudaMalloc(&handle, 8));
    none<<<1, 1>>>(handle);
    OK(cudaMemcpy(&found, handle, 8, cudaMemcpyDeviceToHost));
    same("no graph", found == 0);
    OK(cudaGraphExecDestroy(loop));
    OK(cudaGraphExecDestroy(inner));
    OK(cudaGraphExecDestroy(outer));
    OK(cudaFree(handle));
    OK(cudaFree(memory));
    std::printf("%d wrong\n", wrong);
}
