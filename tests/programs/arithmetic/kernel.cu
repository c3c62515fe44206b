// f32 and f64 arithmetic in all roundings: add, mul, fma, div, sqrt, rcp; the numbers include denormals and extremes.

extern "C" __global__ void arithmetic(const float *a, const float *b, const float *c, float *out,
                                      const double *p, const double *q, const double *r, double *wide)
{
    int t = threadIdx.x;
    float x = a[t], y = b[t], z = c[t], *o = out + t * 24;
    o[0] = __fadd_rn(x, y); o[1] = __fadd_rz(x, y); o[2] = __fadd_ru(x, y); o[3] = __fadd_rd(x, y);
    o[4] = __fmul_rn(x, y); o[5] = __fmul_rz(x, y); o[6] = __fmul_ru(x, y); o[7] = __fmul_rd(x, y);
    o[8] = __fmaf_rn(x, y, z); o[9] = __fmaf_rz(x, y, z); o[10] = __fmaf_ru(x, y, z); o[11] = __fmaf_rd(x, y, z);
    o[12] = __fdiv_rn(x, y); o[13] = __fdiv_rz(x, y); o[14] = __fdiv_ru(x, y); o[15] = __fdiv_rd(x, y);
    float s = fabsf(x);
    o[16] = __fsqrt_rn(s); o[17] = __fsqrt_rz(s); o[18] = __fsqrt_ru(s); o[19] = __fsqrt_rd(s);
    o[20] = __frcp_rn(y); o[21] = __frcp_rz(y); o[22] = __frcp_ru(y); o[23] = __fsub_rn(x, y);

    double u = p[t], v = q[t], w = r[t], *d = wide + t * 18;
    d[0] = __dadd_rn(u, v); d[1] = __dadd_rz(u, v); d[2] = __dadd_ru(u, v); d[3] = __dadd_rd(u, v);
    d[4] = __dmul_rn(u, v); d[5] = __dmul_rz(u, v); d[6] = __dmul_ru(u, v);
    d[7] = __fma_rn(u, v, w); d[8] = __fma_rz(u, v, w); d[9] = __fma_rd(u, v, w);
    d[10] = __ddiv_rn(u, v); d[11] = __ddiv_rz(u, v); d[12] = __ddiv_ru(u, v);
    d[13] = __dsqrt_rn(fabs(u)); d[14] = __dsqrt_rd(fabs(u)); d[15] = __dsqrt_ru(fabs(u));
    d[16] = __drcp_rn(v); d[17] = __drcp_rz(v);
}
