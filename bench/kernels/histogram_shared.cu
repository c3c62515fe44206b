// Counts of bytes: each CTA counts in shared memory, by atomics, and then adds its counts to those of all.
constexpr unsigned BLOCK = 256, BINS = 256;

extern "C" __global__ void __launch_bounds__(BLOCK) histogram_shared(const unsigned *in, unsigned *counts, unsigned words)
{
    __shared__ unsigned bins[BINS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < words; i += gridDim.x * BLOCK) {
        unsigned word = in[i];
        atomicAdd(&bins[word & 255], 1);
        atomicAdd(&bins[word >> 8 & 255], 1);
        atomicAdd(&bins[word >> 16 & 255], 1);
        atomicAdd(&bins[word >> 24], 1);
    }
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
