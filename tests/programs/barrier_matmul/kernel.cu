// Products of square matrices whose tiles come by asynchronous copies. Threads wait for them, and for each other, at
// cuda::barrier objects, which compilers make into loops that test an mbarrier until its phase is over.
#include <cuda/barrier>

using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int TILE = 16;

// One barrier for everything: the tiles are there, and they have been read.
extern "C" __global__ void barrier_matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ alignas(16) float as[TILE][TILE];
    __shared__ alignas(16) float bs[TILE][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    int x = threadIdx.x, y = threadIdx.y;
    if (x == 0 && y == 0)
        init(&bar, TILE * TILE);
    __syncthreads();
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        // Four elements a copy: a quarter of the threads has one to do.
        if (x < TILE / 4) {
            const auto four = cuda::aligned_size_t<alignof(float4)>(sizeof(float4));
            cuda::memcpy_async(&as[y][4 * x], &a[row * n + k + 4 * x], four, bar);
            cuda::memcpy_async(&bs[y][4 * x], &b[(k + y) * n + blockIdx.x * TILE + 4 * x], four, bar);
        }
        bar.arrive_and_wait();
        for (int i = 0; i < TILE; i++)
            sum += as[y][i] * bs[i][x];
        bar.arrive_and_wait();
    }
    c[row * n + column] = sum;
}
