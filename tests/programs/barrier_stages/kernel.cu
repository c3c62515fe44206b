// Products of square matrices by warps that copy tiles and warps that compute, with a cuda::pipeline of three stages
// between them. Both wait in loops that test mbarriers.
#include <cooperative_groups.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
constexpr int TILE = 16, STAGES = 3;

extern "C" __global__ void barrier_stages(const float *a, const float *b, float *c, int n)
{
    __shared__ alignas(16) float as[STAGES][TILE][TILE];
    __shared__ alignas(16) float bs[STAGES][TILE][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto cta = cg::this_thread_block();
    int x = threadIdx.x, y = threadIdx.y;
    // The warps that come last bring what the others wait for.
    bool copies = y >= TILE;
    auto pipe = cuda::make_pipeline(cta, &state, copies ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    if (copies) {
        for (int k = 0, stage = 0; k < n; k += TILE, stage = (stage + 1) % STAGES) {
            pipe.producer_acquire();
            for (int j = y - TILE; j < TILE; j += 4) {
                cuda::memcpy_async(&as[stage][j][x], &a[(blockIdx.y * TILE + j) * n + k + x], sizeof(float), pipe);
                cuda::memcpy_async(&bs[stage][j][x], &b[(k + j) * n + blockIdx.x * TILE + x], sizeof(float), pipe);
            }
            pipe.producer_commit();
        }
        return;
    }
    float sum = 0;
    for (int k = 0, stage = 0; k < n; k += TILE, stage = (stage + 1) % STAGES) {
        pipe.consumer_wait();
        for (int i = 0; i < TILE; i++)
            sum += as[stage][y][i] * bs[stage][i][x];
        pipe.consumer_release();
    }
    c[(blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x] = sum;
}
