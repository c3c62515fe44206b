// Counts of keys of 12 bits, by atomics in global memory.
constexpr unsigned BLOCK = 256, BINS = 4096;

extern "C" __global__ void __launch_bounds__(BLOCK) histogram_global(const unsigned *in, unsigned *counts, unsigned n)
{
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        atomicAdd(&counts[in[i] % BINS], 1);
}
