// Branches of graphs on several host threads: each node comes after the nodes that it depends on, kernels of few blocks run
// beside each other, host functions in the thread that launches, and a kernel waits for a host function of another branch.
// env: TEXUNIT_THREADS=4
// only: 13-shared
// late: no
#include "checks.h"
#include <algorithm>
#include <thread>
#include <unistd.h>
#include <vector>

const int NODES = 240, MOST = 3;

struct Links {
    int count, from[MOST];
};

// The value of a node follows from those before it; each of the kernel's blocks computes some.
__global__ void value(unsigned *values, Links links, int node, int blocks)
{
    unsigned sum = node;
    for (int i = 0; i < links.count; i++) sum = sum * 31 + values[links.from[i] * 64 + blockIdx.x % 64];
    for (int i = 0; i < 200; i++) sum = sum * 1664525u + 1013904223u;
    for (int at = blockIdx.x; at < 64; at += blocks) values[node * 64 + at] = sum;
}

struct Function {
    unsigned *values;
    Links links;
    int node;
    std::thread::id thread;
};

static unsigned step(unsigned sum)
{
    for (int i = 0; i < 200; i++) sum = sum * 1664525u + 1013904223u;
    return sum;
}

static void on_host(void *of)
{
    Function *f = (Function *)of;
    unsigned sum = f->node;
    for (int i = 0; i < f->links.count; i++) sum = sum * 31 + f->values[f->links.from[i] * 64];
    sum = step(sum);
    for (int at = 0; at < 64; at++) f->values[f->node * 64 + at] = sum;
    f->thread = std::this_thread::get_id();
}

__global__ void wait_for(volatile int *flag, int *out) { while (*flag == 0) {} *out = *flag; }

int main()
{
    unsigned random = 7, *values;
    auto next = [&](unsigned below) { return (random = random * 1664525u + 1013904223u) / 65536 % below; };
    OK(cudaMallocManaged(&values, NODES * 64 * sizeof(unsigned)));
    std::vector<Function> functions(NODES);
    std::vector<cudaGraphNode_t> nodes(NODES);
    std::vector<unsigned> expected(NODES);
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    int hosts = 0;
    for (int i = 0; i < NODES; i++) {
        Links links = {i < 8 ? 0 : (int)next(MOST + 1), {}};
        cudaGraphNode_t before[MOST];
        for (int j = 0; j < links.count; j++) links.from[j] = i - 1 - next(std::min(i, 24));
        std::sort(links.from, links.from + links.count);
        links.count = std::unique(links.from, links.from + links.count) - links.from;
        expected[i] = i;
        for (int j = 0; j < links.count; j++) {
            before[j] = nodes[links.from[j]];
            expected[i] = expected[i] * 31 + expected[links.from[j]];
        }
        expected[i] = step(expected[i]);
        unsigned kind = next(12);
        if (kind == 0) {
            functions[i] = {values, links, i, {}}, hosts++;
            cudaHostNodeParams host = {on_host, &functions[i]};
            OK(cudaGraphAddHostNode(&nodes[i], graph, before, links.count, &host));
            continue;
        }
        int blocks = kind < 3 ? 64 : kind < 5 ? 3 : 1;
        void *args[] = {&values, &links, &i, &blocks};
        cudaKernelNodeParams kernel = {};
        kernel.func = (void *)value, kernel.gridDim = blocks, kernel.blockDim = 1, kernel.kernelParams = args;
        if (kind != 11) {
            OK(cudaGraphAddKernelNode(&nodes[i], graph, before, links.count, &kernel));
            continue;
        }
        cudaGraph_t child;
        cudaGraphNode_t inner;
        OK(cudaGraphCreate(&child, 0));
        OK(cudaGraphAddKernelNode(&inner, child, nullptr, 0, &kernel));
        OK(cudaGraphAddChildGraphNode(&nodes[i], graph, before, links.count, child));
        OK(cudaGraphDestroy(child));
    }
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 20; launch++) {
        OK(cudaMemset(values, 0xff, NODES * 64 * sizeof(unsigned)));
        OK(cudaGraphLaunch(exec, 0));
        OK(cudaDeviceSynchronize());
        int bad = 0, elsewhere = 0;
        for (int i = 0; i < NODES; i++) {
            for (int at = 0; at < 64; at++) bad += values[i * 64 + at] != expected[i];
            if (functions[i].values) elsewhere += functions[i].thread != std::this_thread::get_id();
        }
        same("values", bad == 0);
        same("threads of host functions", elsewhere == 0);
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(values));
    std::printf("%s\n", hosts > 5 ? "kernels, child graphs and host functions" : "few host functions");

    // A long host function is somebody who may still write.
    int *flag, *out, host = 0;
    OK(cudaMallocHost(&flag, sizeof *flag));
    OK(cudaMalloc(&out, sizeof *out));
    *flag = 0;
    OK(cudaGraphCreate(&graph, 0));
    void *args[] = {&flag, &out};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)wait_for, kernel.gridDim = 1, kernel.blockDim = 1, kernel.kernelParams = args;
    auto sets = [](void *to) { usleep(700000), *(volatile int *)to = 7; };
    cudaHostNodeParams function = {sets, flag};
    OK(cudaGraphAddKernelNode(&nodes[0], graph, nullptr, 0, &kernel));
    OK(cudaGraphAddHostNode(&nodes[1], graph, nullptr, 0, &function));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDefault));
    same("what a host function has set", host == 7);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(out));
    OK(cudaFreeHost(flag));
    std::printf("%d wrong\n", wrong);
}
