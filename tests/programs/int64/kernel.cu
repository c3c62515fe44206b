// 64-bit integers: all operators, high halves, 128-bit products and sums with carries.

typedef long long s64;
typedef unsigned long long u64;

extern "C" __global__ void int64(const s64 *a, const s64 *b, s64 *out)
{
    int t = threadIdx.x;
    s64 x = a[t], y = b[t], *o = out + t * 24;
    u64 ux = x, uy = y;
    o[0] = ux + uy;
    o[1] = ux - uy;
    o[2] = ux * uy;
    o[3] = y ? (x == (s64)(1ull << 63) && y == -1 ? x : x / y) : 0;
    o[4] = y ? (x == (s64)(1ull << 63) && y == -1 ? 0 : x % y) : 0;
    o[5] = uy ? ux / uy : 0;
    o[6] = uy ? ux % uy : 0;
    o[7] = x & y;
    o[8] = x | ~y;
    o[9] = x ^ y;
    o[10] = ux << (y & 63);
    o[11] = x >> (y & 63);
    o[12] = ux >> (y & 63);
    o[13] = __mul64hi(x, y);
    o[14] = __umul64hi(ux, uy);
    o[15] = x < y ? x : y;
    o[16] = ux > uy ? ux : uy;
    o[17] = (x < y) | (x <= y) << 1 | (ux < uy) << 2 | (ux >= uy) << 3 | (x == y) << 4;
    o[18] = (s64)(int)x * (int)y;
    o[19] = (u64)(unsigned)x * (unsigned)y;
    unsigned __int128 w = (unsigned __int128)ux * uy + ux;
    o[20] = (s64)(u64)w;
    o[21] = (s64)(u64)(w >> 64);
    w = (w << 37) - ((unsigned __int128)uy << 64 | ux);
    o[22] = (s64)(u64)w;
    o[23] = (s64)(u64)(w >> 64);
}
