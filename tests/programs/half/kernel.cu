// Half precision as storage: cvt to and from f16 in its roundings, pairs packed in 32 bits.
#include <cuda_fp16.h>

extern "C" __global__ void halves(const float *f, const unsigned short *codes, unsigned short *to, float *from, unsigned *packed)
{
    int t = threadIdx.x;
    float x = f[t];
    to[t * 5] = __half_as_ushort(__float2half_rn(x));
    to[t * 5 + 1] = __half_as_ushort(__float2half_rz(x));
    to[t * 5 + 2] = __half_as_ushort(__float2half_ru(x));
    to[t * 5 + 3] = __half_as_ushort(__float2half_rd(x));
    to[t * 5 + 4] = __half_as_ushort(__int2half_rn((int)codes[t] - 30000));
    __half h = __ushort_as_half(codes[t]);
    from[t * 2] = __half2float(h);
    from[t * 2 + 1] = (float)__half2int_rz(h);
    __half2 pair = __floats2half2_rn(x, __half2float(h));
    packed[t] = *(unsigned *)&pair;
}
