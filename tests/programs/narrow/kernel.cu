// Arithmetic on 8- and 16-bit integers: promotion, truncation, sign extension, shifts and comparisons.

extern "C" __global__ void narrow(const signed char *a, const unsigned short *b, short *out)
{
    int t = threadIdx.x;
    signed char x = a[t];
    unsigned short y = b[t];
    short z = (short)y, *o = out + t * 14;
    o[0] = x + y; o[1] = (signed char)(x * 3); o[2] = (unsigned char)(x - z); o[3] = z >> 3; o[4] = y >> 3;
    o[5] = (short)(x << 9); o[6] = z * x; o[7] = z < x ? z : x; o[8] = (unsigned char)x > (unsigned char)y;
    o[9] = -z; o[10] = z < 0 ? -z : z; o[11] = ~y ^ x; o[12] = (short)((y * 40000u) >> 16); o[13] = (x & y) | !z;
}
