// nvcc: -rdc=true -DCUDA_FORCE_CDP1_IF_SUPPORTED -D__CDPRT_SUPPRESS_SYNC_DEPRECATION_WARNING -lcudadevrt
// run: --device sm_75
// The first interface of the device runtime, in which a CTA may wait for what it has launched.
#include <cstdio>
#include "checks.h"

__global__ void add(int *sum, int depth, int n)
{
    printf("%*sadd %d at %d\n", 2 * depth, "", n, depth);
    atomicAdd(sum, n);
}

__global__ void outer(int *sum, int depth)
{
    printf("%*souter at %d\n", 2 * depth, "", depth);
    add<<<1, 1>>>(sum, depth + 1, 1);
    add<<<1, 1>>>(sum, depth + 1, 10);
    cudaError_t error = cudaDeviceSynchronize();
    printf("%*ssum %d, %s\n", 2 * depth, "", *sum, cudaGetErrorName(error));
    if (depth < 2) outer<<<1, 1>>>(sum, depth + 1);
}

int main()
{
    int *sum;
    OK(cudaMallocManaged(&sum, sizeof *sum));
    *sum = 0;
    outer<<<1, 1>>>(sum, 0);
    OK(cudaDeviceSynchronize());
    std::printf("%d\n", *sum);
    OK(cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 4));
    outer<<<1, 1>>>(sum, 1);
    OK(cudaDeviceSynchronize());
    int last = *sum;
    OK(cudaFree(sum));
    std::printf("%d %d\n", last, wrong);
}
