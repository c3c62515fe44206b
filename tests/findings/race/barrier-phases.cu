// Tiles by cuda::barrier of the block: arrive, work, wait.
// check: race
// grid: 2
// block: 64
#include <cuda/barrier>

extern "C" __global__ void k(int *in, int *out, int *work)
{
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ Barrier full, empty;
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    if (t == 0) {
        init(&full, 64);
        init(&empty, 64);
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        s[t] = in[t + 64 * i];
        full.arrive_and_wait();
        sum += s[63 - t];
        empty.arrive_and_wait();
    }
    out[blockIdx.x * 64 + t] = sum;
}
