// Producers and consumers in two stages by cuda::pipeline and copies that are asynchronous.
// check: race
// grid: 1
// block: 64
#include <cooperative_groups.h>
#include <cuda/pipeline>
#pragma nv_diag_suppress static_var_with_dynamic_init

extern "C" __global__ void k(int *in, int *out, int *work)
{
    constexpr auto scope = cuda::thread_scope_block;
    __shared__ cuda::pipeline_shared_state<scope, 2> state;
    __shared__ int s[2][64];
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = threadIdx.x, sum = 0;
    for (int i = 0, made = 0; i < 4; i++) {
        for (; made < 4 && made < i + 2; made++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[made % 2][t], in + 64 * made + t, sizeof(int), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        block.sync();
        sum += s[i % 2][63 - t];
        pipe.consumer_release();
    }
    out[t] = sum;
}
