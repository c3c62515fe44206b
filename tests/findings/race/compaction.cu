// Places are given out by a vote.
// check: race
// grid: 2
// block: 64
// any order
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x, v = in[t] + t;
    bool keep = v % 3 == 0;
    unsigned votes = __ballot_sync(~0u, keep);
    int base = 0;
    if ((t & 31) == 0) base = atomicAdd(work, __popc(votes));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(votes & ((1u << (t & 31)) - 1))] = v;
}
