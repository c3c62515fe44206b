// Dot products of bytes, SIMD functions of bytes and half-words, funnel shifts, permutations, video instructions.
extern "C" __global__ void simd_integers(const unsigned *in, unsigned *out)
{
    int t = threadIdx.x;
    unsigned a = in[t * 3], b = in[t * 3 + 1], c = in[t * 3 + 2], *o = out + t * 32;
    o[0] = __dp4a((int)a, (int)b, (int)c);
    o[1] = __dp4a(a, b, c);
    o[2] = __dp2a_lo((int)a, (int)b, (int)c);
    o[3] = __dp2a_hi(a, b, c);
    o[4] = __vadd4(a, b);
    o[5] = __vaddss4(a, b);
    o[6] = __vaddus2(a, b);
    o[7] = __vsub2(a, b);
    o[8] = __vsubus4(a, b);
    o[9] = __vabsdiffu4(a, b);
    o[10] = __vabsdiffs2(a, b);
    o[11] = __vmaxs4(a, b);
    o[12] = __vminu2(a, b);
    o[13] = __vavgu4(a, b);
    o[14] = __vavgs2(a, b);
    o[15] = __vcmpgts4(a, b);
    o[16] = __vseteq2(a, b);
    o[17] = __vsadu4(a, b);
    o[18] = __vnegss4(a);
    o[19] = __vabs2(a);
    o[20] = __funnelshift_l(a, b, c);
    o[21] = __funnelshift_rc(a, b, c & 63);
    o[22] = __byte_perm(a, b, c & 0x7777);
    o[23] = __usad(a, b, c);
    o[24] = __uhadd(a, b) ^ __rhadd((int)a, (int)b);
    o[25] = __mul24((int)a, (int)b);
    o[26] = __fns(a, c & 31, (int)(b & 7) - 3);
    unsigned d;
    asm("vadd.s32.u32.s32.sat %0, %1.b1, %2.h1;" : "=r"(d) : "r"(a), "r"(b));
    o[27] = d;
    asm("vabsdiff.u32.s32.s32.add %0, %1.h0, %2.b3, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    o[28] = d;
    asm("vmad.s32.s32.u32.shr7 %0, %1.h1, %2.b0, -%3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    o[29] = d;
    asm("vsub4.s32.u32.s32.sat %0.b310, %1.b7610, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    o[30] = d;
    asm("vset2.u32.s32.lt.add %0, %1, %2.h01, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
    o[31] = d;
}
