// Inclusive scan: each CTA scans 256 elements, by shuffles in a warp and shared memory between warps; another launch of
// one CTA scans the sums of CTAs, in place, 256 at a time; a third one adds what lies before each CTA.
constexpr unsigned BLOCK = 256;

__device__ unsigned scan_cta(unsigned value, unsigned *of_warps)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        unsigned before = __shfl_up_sync(~0u, value, distance);
        value += lane >= distance ? before : 0;
    }
    if (lane == 31)
        of_warps[warp] = value;
    __syncthreads();
    if (warp == 0) {
        unsigned sum = lane < BLOCK / 32 ? of_warps[lane] : 0;
        for (unsigned distance = 1; distance < BLOCK / 32; distance *= 2) {
            unsigned before = __shfl_up_sync(~0u, sum, distance);
            sum += lane >= distance ? before : 0;
        }
        if (lane < BLOCK / 32)
            of_warps[lane] = sum;
    }
    __syncthreads();
    return value + (warp ? of_warps[warp - 1] : 0);
}

extern "C" __global__ void __launch_bounds__(BLOCK) scan_ctas(const unsigned *in, unsigned *out, unsigned *sums)
{
    __shared__ unsigned of_warps[BLOCK / 32];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    unsigned value = scan_cta(in[i], of_warps);
    out[i] = value;
    if (threadIdx.x == BLOCK - 1)
        sums[blockIdx.x] = value;
}

extern "C" __global__ void __launch_bounds__(BLOCK) scan_sums(unsigned *sums, unsigned n)
{
    __shared__ unsigned of_warps[BLOCK / 32], carried;
    unsigned carry = 0;
    for (unsigned first = 0; first < n; first += BLOCK) {
        unsigned i = first + threadIdx.x;
        unsigned value = carry + scan_cta(i < n ? sums[i] : 0, of_warps);
        if (i < n)
            sums[i] = value;
        if (threadIdx.x == BLOCK - 1)
            carried = value;
        __syncthreads();
        carry = carried;
    }
}

extern "C" __global__ void __launch_bounds__(BLOCK) add_sums(unsigned *out, const unsigned *sums)
{
    if (blockIdx.x)
        out[blockIdx.x * BLOCK + threadIdx.x] += sums[blockIdx.x - 1];
}
