// match.any and match.all on 32 and 64 bits, by full and by partial warps.

extern "C" __global__ void match(const int *in, unsigned *out)
{
    unsigned t = threadIdx.x, *o = out + t * 7;
    int v = in[t], all = 2;
    o[0] = __match_any_sync(0xffffffffu, v);
    o[1] = __match_any_sync(0xffffffffu, (unsigned long long)v << 40);
    o[2] = __match_all_sync(0xffffffffu, v, &all);
    o[3] = all;
    if (t < 12) {
        o[4] = __match_any_sync(0x00000fffu, v & 1);
        o[5] = __match_all_sync(0x00000fffu, (long long)(v >> 31), &all);
    } else {
        o[4] = __match_any_sync(0xfffff000u, v / 2);
        o[5] = __match_all_sync(0xfffff000u, v - v, &all);
    }
    o[6] = all;
}
