// 24-bit and high products, sums of absolute differences, averages, multiply-add in all widths, carries.

extern "C" __global__ void multiply(const int *a, const int *b, int *out)
{
    int t = threadIdx.x, x = a[t], y = b[t], *o = out + t * 22;
    o[0] = __mul24(x, y); o[1] = __umul24(x, y); o[2] = __mulhi(x, y); o[3] = __umulhi(x, y);
    asm("mul24.hi.s32 %0, %1, %2;" : "=r"(o[4]) : "r"(x), "r"(y));
    asm("mad24.lo.u32 %0, %1, %2, %3;" : "=r"(o[5]) : "r"(x), "r"(y), "r"(t));
    asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(o[6]) : "r"(x), "r"(y), "r"(y));
    asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(o[7]) : "r"(x), "r"(y), "r"(x));
    o[8] = __sad(x, y, t); o[9] = __usad(x, y, t);
    o[10] = __hadd(x, y); o[11] = __rhadd(x, y); o[12] = __uhadd(x, y); o[13] = __urhadd(x, y);
    asm("add.sat.s32 %0, %1, %2;" : "=r"(o[14]) : "r"(x), "r"(y));
    asm("sub.sat.s32 %0, %1, %2;" : "=r"(o[15]) : "r"(x), "r"(y));
    asm("{.reg .u32 c0; add.cc.u32 %0, %2, %3; addc.cc.u32 c0, %2, %2; addc.u32 %1, c0, %3;}"
        : "=&r"(o[16]), "=&r"(o[17]) : "r"(x), "r"(y));
    asm("{sub.cc.u32 %0, %2, %3; subc.u32 %1, %3, %2;}" : "=&r"(o[18]), "=&r"(o[19]) : "r"(x), "r"(y));
    asm("{mad.lo.cc.u32 %0, %2, %3, %2; madc.hi.u32 %1, %2, %3, %3;}" : "=&r"(o[20]), "=&r"(o[21]) : "r"(x), "r"(y));
}
