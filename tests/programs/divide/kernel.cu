// Integer division in 8, 16 and 32 bits, signed and unsigned, by variables and constants; by zero: all ones.

extern "C" __global__ void divide(const int *a, const int *b, int *out, int zero)
{
    int t = threadIdx.x, x = a[t], y = b[t], *o = out + t * 12;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = (unsigned)x / (unsigned)y;
    o[3] = (unsigned)x % (unsigned)y;
    o[4] = x / 7;
    o[5] = x % -10;
    o[6] = (unsigned)x / 641u;
    o[7] = (short)x / (short)(y | 1);
    o[8] = (unsigned short)x % (unsigned short)(y | 1);
    o[9] = (signed char)x / (signed char)(y | 1);
    int q, r;
    asm volatile("div.s32 %0, %1, %2;" : "=r"(q) : "r"(x), "r"(zero));
    asm volatile("div.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(zero));
    o[10] = q;
    o[11] = r;
}
