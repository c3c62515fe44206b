// A cooperative launch: blocks wait for each other with grid.sync().
// Without libcu++, whose newest release does not go with the headers of CUDA 12.
#define _CG_LIMIT_INCLUDED_DEPENDENCIES
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void rounds(int *data, int *sums, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = grid.thread_rank();
    for (int round = 0; round < n; round++) {
        data[i] += 1;
        grid.sync();
        // All blocks have added by now.
        if (i == 0) {
            int sum = 0;
            for (unsigned k = 0; k < grid.size(); k++)
                sum += data[k];
            sums[round] = sum;
        }
        grid.sync();
    }
}

int main()
{
    int *data, *sums, host[4], n = 4, supported = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, 0);
    std::printf("%d\n", supported);
    cudaMalloc(&data, 4 * 64 * sizeof(int));
    cudaMalloc(&sums, sizeof host);
    cudaMemset(data, 0, 4 * 64 * sizeof(int));
    void *args[] = {&data, &sums, &n};
    std::printf("%d\n", cudaLaunchCooperativeKernel((const void *)rounds, 4, 64, args, 0, 0));
    std::printf("%d\n", cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);

    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4;
    config.blockDim = 64;
    config.attrs = &attribute;
    config.numAttrs = 1;
    std::printf("%d\n", cudaLaunchKernelEx(&config, rounds, data, sums, 2));
    std::printf("%d\n", cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);

    std::printf("%s\n", cudaGetErrorName(cudaLaunchCooperativeKernel((const void *)rounds, 100000, 64,
                                                                     args, 0, 0)));
}
