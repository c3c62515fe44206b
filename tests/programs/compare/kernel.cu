// Comparisons, minimum and maximum, signs and classes, with NaN, infinities and zeros of both signs.

extern "C" __global__ void compare(const float *a, const float *b, unsigned *out)
{
    int t = threadIdx.x;
    float x = a[t], y = b[t];
    unsigned *o = out + t * 12, m = 0;
    m |= (x < y) << 0 | (x <= y) << 1 | (x > y) << 2 | (x >= y) << 3 | (x == y) << 4 | (x != y) << 5;
    m |= !(x < y) << 6 | !(x <= y) << 7 | !(x > y) << 8 | !(x >= y) << 9;
    m |= (isnan(x) != 0) << 10 | (isinf(x) != 0) << 11 | (signbit(y) != 0) << 12;
    o[0] = m;
    double u = x, v = y;
    m = 0;
    m |= (u < v) << 0 | (u <= v) << 1 | (u > v) << 2 | (u >= v) << 3 | (u == v) << 4 | (u != v) << 5;
    o[1] = m;
    o[2] = __float_as_uint(fminf(x, y));
    o[3] = __float_as_uint(fmaxf(x, y));
    o[4] = y != y ? 0 : __float_as_uint(fabsf(y));
    o[5] = y != y ? 0 : __float_as_uint(copysignf(y, x));
    o[6] = __float_as_uint(__saturatef(x));
    o[7] = x < y ? 1 : x > y ? 2 : x == y ? 3 : 4;
    asm("{.reg .pred p, q; testp.subnormal.f32 p, %1; testp.number.f32 q, %1; selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2;"
        " testp.infinite.f32 p, %1; @p add.u32 %0, %0, 4; testp.normal.f32 p, %1; @p add.u32 %0, %0, 8;"
        " testp.notanumber.f32 p, %1; @p add.u32 %0, %0, 16; testp.finite.f32 p, %1; @p add.u32 %0, %0, 32;}" : "=&r"(o[8]) : "f"(x));
    asm("{.reg .pred p, q; setp.num.f32 p, %1, %2; setp.nan.xor.f32 q, %1, %2, p; selp.u32 %0, 5, 6, q;}" : "=r"(o[9]) : "f"(x), "f"(y));
    asm("set.gtu.u32.f32 %0, %1, %2;" : "=r"(o[10]) : "f"(x), "f"(y));
    asm("slct.u32.f32 %0, 11, 22, %1;" : "=r"(o[11]) : "f"(x));
}
