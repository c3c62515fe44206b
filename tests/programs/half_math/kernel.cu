// Arithmetic of half and bfloat16, alone and in pairs: the functions of cuda_fp16.h and cuda_bf16.h.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_math(const unsigned short *codes, unsigned short *to, unsigned *pairs, unsigned *tests)
{
    int t = threadIdx.x;
    const unsigned short *c = codes + t * 3;
    __half x = __ushort_as_half(c[0]), y = __ushort_as_half(c[1]), z = __ushort_as_half(c[2]);
    __nv_bfloat16 p = __ushort_as_bfloat16(c[0]), q = __ushort_as_bfloat16(c[1]), r = __ushort_as_bfloat16(c[2]);
    __half h[16] = { __hadd_rn(x, y), __hsub_rn(x, y), __hmul_rn(x, y), __hfma(x, y, z), __hadd_sat(x, y), __hsub_sat(x, y), __hmul_sat(x, y),
                     __hfma_sat(x, y, z), __hfma_relu(x, y, z), __hmin(x, y), __hmax(x, y), __hmin_nan(x, y), __hmax_nan(x, y), __habs(x), __hneg(x),
                     __float2half_rn(__half2float(x)) };
    __nv_bfloat16 b[16] = { __hadd_rn(p, q), __hsub_rn(p, q), __hmul_rn(p, q), __hfma(p, q, r), __hadd_sat(p, q), __hsub_sat(p, q), __hmul_sat(p, q),
                            __hfma_sat(p, q, r), __hfma_relu(p, q, r), __hmin(p, q), __hmax(p, q), __hmin_nan(p, q), __hmax_nan(p, q), __habs(p), __hneg(p),
                            __float2bfloat16_rn(__bfloat162float(p)) };
    for (int i = 0; i < 16; i++) {
        to[t * 32 + i] = __half_as_ushort(h[i]);
        to[t * 32 + 16 + i] = __bfloat16_as_ushort(b[i]);
    }
    __half2 u = __halves2half2(x, y), v = __halves2half2(y, z), w = __halves2half2(z, x);
    __nv_bfloat162 k = __halves2bfloat162(p, q), l = __halves2bfloat162(q, r), m = __halves2bfloat162(r, p);
    __half2 hh[8] = { __hadd2_rn(u, v), __hmul2_rn(u, v), __hfma2(u, v, w), __hfma2_relu(u, v, w), __hmin2(u, v), __hmax2_nan(u, v), __habs2(u), __hneg2(v) };
    __nv_bfloat162 bb[8] = { __hadd2_rn(k, l), __hmul2_rn(k, l), __hfma2(k, l, m), __hfma2_relu(k, l, m), __hmin2(k, l), __hmax2_nan(k, l), __habs2(k), __hneg2(l) };
    for (int i = 0; i < 8; i++) {
        pairs[t * 16 + i] = *(unsigned *)&hh[i];
        pairs[t * 16 + 8 + i] = *(unsigned *)&bb[i];
    }
    __half2 s = __hlt2(u, v), e = __hgeu2(u, v);
    __nv_bfloat162 f = __hle2(k, l), g = __hneu2(k, l);
    tests[t * 9] = *(unsigned *)&s;
    tests[t * 9 + 1] = *(unsigned *)&e;
    tests[t * 9 + 2] = *(unsigned *)&f;
    tests[t * 9 + 3] = *(unsigned *)&g;
    tests[t * 9 + 4] = __hgt2_mask(u, v);
    tests[t * 9 + 5] = __hequ2_mask(k, l);
    tests[t * 9 + 6] = __hlt(x, y) | __heq(x, y) << 1 | __hgeu(x, y) << 2 | __hisnan(x) << 3 | __hbeq2(u, v) << 4 | __hbltu2(u, v) << 5;
    tests[t * 9 + 7] = __hlt(p, q) | __heq(p, q) << 1 | __hgeu(p, q) << 2 | __hisnan(p) << 3 | __hbeq2(k, l) << 4 | __hbltu2(k, l) << 5;
    tests[t * 9 + 8] = __half2ushort_rz(x) | (unsigned)__half2short_rn(y) << 16;
}
