// Loads and stores of every width and vector, with cache operators, volatile, through generic pointers, prefetched.

struct __align__(16) Packet { unsigned char head[3]; short mid; double tail; };

extern "C" __global__ void memory(const uint4 *in, uint4 *out, uchar4 *bytes, ushort2 *shorts, double2 *doubles, Packet *packets,
                                  signed char *tiny, unsigned *kinds)
{
    __shared__ uint4 tile[32];
    int t = threadIdx.x;
    asm volatile("prefetch.global.L1 [%0];" :: "l"(in + t));
    asm volatile("prefetchu.L1 [%0];" :: "l"(in + t));
    uint4 v = __ldg(in + t);
    tile[31 - t] = v;
    __syncthreads();
    uint4 w = tile[t];
    out[t] = make_uint4(w.w, w.z, w.y, w.x);
    bytes[t] = make_uchar4(v.x, v.x >> 8, v.x >> 16, v.x >> 24);
    shorts[t] = make_ushort2(v.y, v.y >> 16);
    doubles[t] = make_double2(v.z, -(double)v.w);
    Packet p = packets[t];
    p.head[1] ^= 0x5a;
    p.mid = -p.mid;
    p.tail *= 2;
    packets[t] = p;
    tiny[t] = (signed char)(tiny[t] - 1);

    unsigned local = v.x, *any = t & 1 ? &local : t & 2 ? &tile[t].y : (unsigned *)&out[t].z;
    unsigned read = *any, a, b;
    unsigned kind = __isGlobal(any) | __isShared(any) << 1 | __isLocal(any) << 2;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(a) : "l"((const unsigned *)(in + t)));
    asm volatile("{.reg .u64 p; ld.volatile.global.u32 %0, [%1+4];}" : "=r"(b) : "l"((const unsigned *)(in + t)));
    kinds[t * 3] = kind;
    kinds[t * 3 + 1] = read;
    asm volatile("st.global.wt.u32 [%0+8], %1;" :: "l"(kinds + t * 3), "r"(a ^ b * 5) : "memory");
}
