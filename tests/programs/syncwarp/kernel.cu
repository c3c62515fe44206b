// Exchange through shared memory inside a warp, ordered by __syncwarp with full and partial masks, without a CTA barrier.

extern "C" __global__ void syncwarp(const int *in, int *out)
{
    __shared__ int slot[4][32];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, *mine = slot[warp];
    int v = in[threadIdx.x];
    mine[lane] = v;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        int other = mine[lane ^ d];
        __syncwarp();
        v = v > other ? v : other;
        mine[lane] = v;
        __syncwarp();
    }
    out[threadIdx.x] = v;

    // The lower and the upper half of the warp go on separately, and pass a value from lane to lane.
    if (lane < 16) {
        mine[lane] = lane;
        __syncwarp(0x0000ffffu);
        for (int i = 1; i < 16; ++i) {
            if (lane == i) mine[i] += mine[i - 1] * 2;
            __syncwarp(0x0000ffffu);
        }
        out[128 + threadIdx.x] = mine[15 - lane];
    } else {
        mine[lane] = -lane;
        __syncwarp(0xffff0000u);
        out[128 + threadIdx.x] = mine[47 - lane] + warp;
    }
}
