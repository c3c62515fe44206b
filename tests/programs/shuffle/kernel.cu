// Every mode of shfl.sync at several widths, and 64-bit values, that travel as two halves.

extern "C" __global__ void shuffle(const int *in, int *out, long long *wide)
{
    const unsigned all = 0xffffffffu;
    int t = threadIdx.x, v = in[t], k = 0;
    out[32 * k++ + t] = __shfl_sync(all, v, 5);
    out[32 * k++ + t] = __shfl_sync(all, v, t * 7 + 3);
    out[32 * k++ + t] = __shfl_sync(all, v, t + 1, 8);
    out[32 * k++ + t] = __shfl_up_sync(all, v, 3);
    out[32 * k++ + t] = __shfl_up_sync(all, v, 2, 4);
    out[32 * k++ + t] = __shfl_down_sync(all, v, 9);
    out[32 * k++ + t] = __shfl_down_sync(all, v, 1, 16);
    out[32 * k++ + t] = __shfl_xor_sync(all, v, 1);
    out[32 * k++ + t] = __shfl_xor_sync(all, v, 21);
    out[32 * k++ + t] = __shfl_xor_sync(all, v, 6, 4);
    if (t & 1)
        out[32 * k + t] = __shfl_sync(0xaaaaaaaau, v, 31 - t / 2 * 2);
    else
        out[32 * k + t] = __shfl_sync(0x55555555u, v, 30 - t);
    long long w = (long long)v * 1000000007ll;
    wide[t] = __shfl_xor_sync(all, w, 31);
}
