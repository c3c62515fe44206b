// Copies to shared memory that are waited for: cuda::barrier, cooperative groups' memcpy_async, the pipeline primitives,
// and a cuda::pipeline of two stages.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void async_copy(const int *in, int *out)
{
    __shared__ alignas(16) int s[64], stages[2][64];
    __shared__ alignas(Barrier) char bytes[sizeof(Barrier)];
    __shared__ alignas(16) char pipes[sizeof(cuda::pipeline_shared_state<cuda::thread_scope_block, 2>)];
    Barrier &bar = *reinterpret_cast<Barrier *>(bytes);
    cg::thread_block block = cg::this_thread_block();
    int t = threadIdx.x;
    if (t == 0)
        init(&bar, block.size());
    block.sync();

    cuda::memcpy_async(block, s, in, sizeof s, bar);
    bar.wait(bar.arrive());
    out[t] = s[63 - t];
    bar.arrive_and_wait();

    cg::memcpy_async(block, s, in + 64, sizeof s);
    cg::wait(block);
    out[64 + t] = s[t ^ 1];
    block.sync();

    __pipeline_memcpy_async(&s[t], in + 128 + t, 4, t % 2 ? 4 : 0);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    block.sync();
    out[128 + t] = s[63 - t];
    block.sync();

    auto *state = reinterpret_cast<cuda::pipeline_shared_state<cuda::thread_scope_block, 2> *>(pipes);
    if (t == 0)
        new (state) cuda::pipeline_shared_state<cuda::thread_scope_block, 2>();
    block.sync();
    auto pipe = cuda::make_pipeline(block, state);
    int sum = 0;
    for (int fetched = 0, used = 0; used < 4; used++) {
        for (; fetched < 4 && fetched < used + 2; fetched++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stages[fetched % 2], in + 64 * fetched, cuda::aligned_size_t<16>(sizeof s), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = sum * 3 + stages[used % 2][63 - t];
        pipe.consumer_release();
    }
    out[192 + t] = sum;
}
