// Ballots, any and all, active masks, in straight and in divergent code.

extern "C" __global__ void vote(const int *in, unsigned *out)
{
    const unsigned all = 0xffffffffu;
    unsigned t = threadIdx.x % 32, w = threadIdx.x / 32, *o = out + 8 * threadIdx.x;
    int v = in[threadIdx.x];
    o[0] = __ballot_sync(all, v > 0);
    o[1] = __any_sync(all, v == 7);
    o[2] = __all_sync(all, v > -100);
    o[3] = __activemask();
    if (v & 1) {
        unsigned odd = __ballot_sync(__activemask(), true);
        o[4] = __popc(odd & ((1u << t) - 1));
        o[5] = __ballot_sync(odd, v > 0);
    } else {
        unsigned even = __ballot_sync(__activemask(), true);
        o[4] = 100 + __popc(even & ((1u << t) - 1));
        o[5] = __all_sync(even, v % 2 == 0);
    }
    __syncwarp();
    o[6] = __ballot_sync(all, t % 3 == w);
    o[7] = w;
}
