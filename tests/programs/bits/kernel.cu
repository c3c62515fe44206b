// Bit tricks: population, leading zeros, reversal, permuted bytes, funnel shifts, fields, lop3, fns.

extern "C" __global__ void bits(const unsigned *in, const unsigned *by, unsigned *out)
{
    unsigned t = threadIdx.x, x = in[t], y = by[t], *o = out + t * 36, r;
    unsigned long long w = (unsigned long long)x << 32 | y;
    o[0] = __popc(x); o[1] = __popcll(w); o[2] = __clz(x); o[3] = __clzll(w >> 20); o[4] = __ffs(x); o[5] = __ffsll(w & ~0xffull);
    o[6] = __brev(x); o[7] = (unsigned)(__brevll(w) >> 16);
    o[8] = __byte_perm(x, y, 0x3120); o[9] = __byte_perm(x, y, y & 0x7777); asm("prmt.b32 %0, %1, %2, 0xba98;" : "=r"(o[10]) : "r"(x), "r"(y));
    o[11] = __funnelshift_l(x, y, y); o[12] = __funnelshift_r(x, y, x); o[13] = __funnelshift_lc(x, y, y & 63);
    o[14] = __funnelshift_rc(x, y, x & 63);
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(o[15]) : "r"(x), "r"(y & 31), "r"(x & 15));
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(o[16]) : "r"(x), "r"(y & 0xff), "r"(x & 0x3f));
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(o[17]) : "r"(y), "r"(x), "r"(y & 31), "r"(x >> 8 & 31));
    asm("bfind.u32 %0, %1;" : "=r"(o[18]) : "r"(x));
    asm("bfind.s32 %0, %1;" : "=r"(o[19]) : "r"(x));
    asm("bfind.shiftamt.u32 %0, %1;" : "=r"(o[20]) : "r"(y));
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(o[21]) : "r"(x), "r"(y), "r"(x * 3));
    asm("lop3.b32 %0, %1, %2, %3, 0x1b;" : "=r"(o[22]) : "r"(x), "r"(y), "r"(~x + t));
    asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(o[23]) : "r"(x), "r"(y), "r"(t));
    asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(o[24]) : "r"(x), "r"(y), "r"(t));
    asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(o[25]) : "r"(x), "r"(y), "r"(t));
    asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(o[26]) : "r"(x), "r"(y), "r"(t));
    asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(o[27]) : "r"(x), "r"(y), "r"(t));
    asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(o[28]) : "r"(x), "r"(y), "r"(t));
    asm("shl.b32 %0, %1, %2;" : "=r"(o[29]) : "r"(x), "r"(y & 63));
    asm("shr.s32 %0, %1, %2;" : "=r"(o[30]) : "r"(x), "r"(y & 63));
    asm("fns.b32 %0, %1, %2, 1;" : "=r"(o[31]) : "r"(x), "r"(t));
    asm("fns.b32 %0, %1, %2, -2;" : "=r"(o[32]) : "r"(x), "r"(31 - t));
    asm("cnot.b32 %0, %1;" : "=r"(o[33]) : "r"(x & y & 1));
    asm("bfe.s64 %0, %1, 13, 40;" : "=l"(w) : "l"(w));
    o[34] = (unsigned)w;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(x & 63), "r"(y & 63));
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(o[35]) : "r"(r), "r"(y));
}
