// sums[CTA] = sum of what its threads meet in strides of the whole grid, by shuffles in a warp and shared memory between
// warps; a second launch of one CTA adds up the sums.
constexpr unsigned BLOCK = 256;

extern "C" __global__ void __launch_bounds__(BLOCK) reduce(const float *in, float *sums, unsigned n)
{
    __shared__ float of_warps[BLOCK / 32];
    float sum = 0;
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        sum += in[i];
    for (unsigned distance = 16; distance; distance /= 2)
        sum += __shfl_down_sync(~0u, sum, distance);
    if (threadIdx.x % 32 == 0)
        of_warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < BLOCK / 32 ? of_warps[threadIdx.x] : 0;
        for (unsigned distance = BLOCK / 64; distance; distance /= 2)
            sum += __shfl_down_sync(~0u, sum, distance);
        if (threadIdx.x == 0)
            sums[blockIdx.x] = sum;
    }
}
