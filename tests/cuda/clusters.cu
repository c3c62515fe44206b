// nvcc: -arch=compute_90
// run: --device h100
// only: 13-shared 13-static
// Clusters of CTAs: shared memory of each other, launches with attributes, bulk copies of cuda::barrier.
#include "checks.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstring>

namespace cg = cooperative_groups;

// Each CTA counts its part of the values; the histogram is spread over the shared memories of the cluster.
constexpr int BINS_OF_CTA = 64;
__global__ void histogram(const int *values, int count, int *bins) {
    __shared__ int own[BINS_OF_CTA];
    cg::cluster_group cluster = cg::this_cluster();
    own[threadIdx.x % BINS_OF_CTA] = 0;
    cluster.sync();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int bin = values[i];
        int *there = cluster.map_shared_rank(own, bin / BINS_OF_CTA);
        atomicAdd(there + bin % BINS_OF_CTA, 1);
    }
    cluster.sync();
    int *to = bins + cluster.block_rank() * BINS_OF_CTA;
    if (threadIdx.x < BINS_OF_CTA)
        atomicAdd(to + threadIdx.x, own[threadIdx.x]);
}

__global__ void __cluster_dims__(2, 1, 1) fixed(int *out) {
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        out[blockIdx.x] = cluster.num_blocks() * 100 + cluster.block_rank();
    cluster.barrier_wait(cluster.barrier_arrive());
}

// A bulk copy to shared memory and back, doubled.
__global__ void doubled(float *data) {
    __shared__ alignas(16) float tile[256];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    float *mine = data + blockIdx.x * 256;
    if (threadIdx.x == 0)
        init(&barrier, blockDim.x);
    __syncthreads();
    cuda::barrier<cuda::thread_scope_block>::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::memcpy_async(tile, mine, cuda::aligned_size_t<16>(sizeof tile), barrier);
        token = barrier.arrive();
    } else {
        token = barrier.arrive();
    }
    barrier.wait(std::move(token));
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        tile[i] *= 2;
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        cuda::ptx::cp_async_bulk(cuda::ptx::space_global, cuda::ptx::space_shared, mine, tile, sizeof tile);
        cuda::ptx::cp_async_bulk_commit_group();
        cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<0>());
    }
}

static cudaError_t in_clusters(int ctas, int size, const int *values, int count, int *bins) {
    cudaLaunchConfig_t config = {};
    config.gridDim = ctas;
    config.blockDim = 64;
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = size;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, histogram, values, count, bins);
}

int main() {
    constexpr int N = 10000;
    int *values, *bins;
    OK(cudaMallocManaged(&values, N * sizeof(int)));
    OK(cudaMallocManaged(&bins, 1024 * sizeof(int)));
    int expected[1024] = {};
    for (int size : {1, 2, 4, 8}) {
        memset(expected, 0, sizeof expected);
        memset(bins, 0, 1024 * sizeof(int));
        for (int i = 0; i < N; i++)
            expected[values[i] = i * 7919 % (size * BINS_OF_CTA)]++;
        OK(in_clusters(8, size, values, N, bins));
        OK(cudaDeviceSynchronize());
        printf("clusters of %d: %s\n", size, memcmp(bins, expected, sizeof expected) ? "differ" : "as counted");
    }
    printf("16: %s\n", cudaGetErrorName(in_clusters(16, 16, values, N, bins)));
    printf("3 of 8: %s\n", cudaGetErrorName(in_clusters(8, 3, values, N, bins)));
    OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    printf("16, as allowed: %s\n", cudaGetErrorName(in_clusters(16, 16, values, N, bins)));
    OK(cudaDeviceSynchronize());
    cudaGetLastError();

    memset(bins, 0, 8 * sizeof(int));
    fixed<<<4, 32>>>(bins);
    OK(cudaDeviceSynchronize());
    printf("fixed: %d %d %d %d\n", bins[0], bins[1], bins[2], bins[3]);
    cudaFuncAttributes of;
    OK(cudaFuncGetAttributes(&of, fixed));
    printf("attributes: %d x %d x %d\n", of.requiredClusterWidth, of.requiredClusterHeight,
           of.requiredClusterDepth);
    fixed<<<3, 32>>>(bins);
    printf("3 CTAs: %s\n", cudaGetErrorName(cudaGetLastError()));

    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 64;
    int most = 0;
    OK(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 0));
    OK(cudaOccupancyMaxPotentialClusterSize(&most, histogram, &config));
    printf("largest cluster: %d\n", most);

    float *data;
    OK(cudaMallocManaged(&data, 1024 * sizeof(float)));
    for (int i = 0; i < 1024; i++)
        data[i] = i;
    doubled<<<4, 64>>>(data);
    OK(cudaDeviceSynchronize());
    bool same = true;
    for (int i = 0; i < 1024; i++)
        same &= data[i] == 2 * i;
    printf("bulk copies: %s\n", same ? "doubled" : "wrong");
    OK(cudaFree(values));
    OK(cudaFree(bins));
    OK(cudaFree(data));
    return 0;
}
