// Inclusive prefix sums of a CTA: shuffles inside the warps, then the warps' sums.

extern "C" __global__ void scan(const unsigned *in, unsigned *out)
{
    __shared__ unsigned warps[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned v = in[threadIdx.x];
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned below = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d)
            v += below;
    }
    if (lane == 31)
        warps[warp] = v;
    __syncthreads();
    if (warp == 0) {
        unsigned s = lane < blockDim.x / 32 ? warps[lane] : 0;
        for (unsigned d = 1; d < 32; d *= 2) {
            unsigned below = __shfl_up_sync(0xffffffffu, s, d);
            if (lane >= d)
                s += below;
        }
        warps[lane] = s;
    }
    __syncthreads();
    out[threadIdx.x] = v + (warp ? warps[warp - 1] : 0);
}
