// Conversions between integers, f32 and f64, in every rounding; out of range saturates, NaN goes as the ISA says.

extern "C" __global__ void convert(const float *f, const double *d, const long long *l, int *from_f, long long *wide_f,
                                   int *from_d, long long *wide_d, float *to_f, double *to_d)
{
    int t = threadIdx.x;
    float x = f[t];
    int *o = from_f + t * 14;
    o[0] = __float2int_rn(x); o[1] = __float2int_rz(x); o[2] = __float2int_ru(x); o[3] = __float2int_rd(x);
    o[4] = __float2uint_rn(x); o[5] = __float2uint_rz(x); o[6] = __float2uint_ru(x); o[7] = __float2uint_rd(x);
    short h;
    asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(h) : "f"(x)); o[8] = h;
    asm("cvt.rni.u16.f32 %0, %1;" : "=h"(h) : "f"(x)); o[9] = (unsigned short)h;
    asm("{.reg .b32 q; cvt.rmi.s8.f32 q, %1; cvt.s32.s8 %0, q;}" : "=r"(o[10]) : "f"(x));
    asm("{.reg .b32 q; cvt.rpi.u8.f32 q, %1; cvt.u32.u8 %0, q;}" : "=r"(o[11]) : "f"(x));
    o[12] = x != x ? 0 : __float_as_int(rintf(x)); o[13] = x != x ? 0 : __float_as_int(truncf(x));

    long long *w = wide_f + t * 4;
    w[0] = __float2ll_rn(x); w[1] = __float2ll_rz(x); w[2] = __float2ull_ru(x); w[3] = __float2ull_rd(x);

    double y = d[t];
    o = from_d + t * 8;
    o[0] = __double2int_rn(y); o[1] = __double2int_rz(y); o[2] = __double2int_ru(y); o[3] = __double2int_rd(y);
    o[4] = __double2uint_rn(y); o[5] = __double2uint_rz(y); o[6] = __double2uint_ru(y); o[7] = __double2uint_rd(y);
    w = wide_d + t * 4;
    w[0] = __double2ll_rn(y); w[1] = __double2ll_rz(y); w[2] = __double2ull_ru(y); w[3] = __double2ull_rd(y);

    long long z = l[t];
    float *p = to_f + t * 15;
    p[0] = __ll2float_rn(z); p[1] = __ll2float_rz(z); p[2] = __ll2float_ru(z); p[3] = __ll2float_rd(z);
    p[4] = __ull2float_rn(z); p[5] = __ull2float_rz(z);
    p[6] = __int2float_rn((int)z); p[7] = __int2float_rz((int)z); p[8] = __uint2float_ru((unsigned)z);
    p[9] = __uint2float_rd((unsigned)z);
    p[10] = __double2float_rn(y); p[11] = __double2float_rz(y); p[12] = __double2float_ru(y); p[13] = __double2float_rd(y);
    p[14] = (float)(short)z;

    double *q = to_d + t * 7;
    q[0] = __ll2double_rn(z); q[1] = __ll2double_rz(z); q[2] = __ull2double_ru(z); q[3] = __ull2double_rd(z);
    q[4] = (double)(int)z; q[5] = (double)(unsigned char)z; q[6] = (double)x;
}
