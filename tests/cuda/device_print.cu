// nvcc: -rdc=true -lcudadevrt
// Grids that launch grids, and what they print: a grid's text stands before that of the grids it launches.
#include <cstdio>

__device__ int next_id;

__device__ void header(int depth, int thread, int id, int parent)
{
    if (threadIdx.x) return;
    if (depth == 0)
        printf("block %d launched by the host\n", id);
    else
        printf("%*sblock %d launched by thread %d of block %d\n", 2 * depth, "", id, thread, parent);
}

__global__ void nested(int max_depth, int depth, int thread, int parent)
{
    __shared__ int id;
    if (threadIdx.x == 0) id = atomicAdd(&next_id, 1);
    __syncthreads();
    header(depth, thread, id, parent);
    if (++depth >= max_depth) return;
    nested<<<gridDim.x, blockDim.x>>>(max_depth, depth, threadIdx.x, id);
}

int main()
{
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 64)));
    nested<<<1, 2>>>(2, 0, 0, -1);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    nested<<<1, 1>>>(4, 0, 0, -1);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
