// Atomic sums of half, bfloat16 and pairs of them, in global and in shared memory, and of vectors of float.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void half_atomics(__half *h, __nv_bfloat16 *b, __half2 *hh, __nv_bfloat162 *bb, float2 *f2, float4 *f4, unsigned *shared)
{
    __shared__ __half sh[2];
    __shared__ __nv_bfloat162 sb;
    int t = threadIdx.x;
    if (t == 0) {
        sh[0] = sh[1] = __ushort_as_half(0);
        sb = __halves2bfloat162(__ushort_as_bfloat16(0), __ushort_as_bfloat16(0));
    }
    __syncthreads();
    atomicAdd(h + t % 3, __int2half_rn(t % 5 - 1));
    atomicAdd(b + t % 2, __int2bfloat16_rn(t % 4));
    atomicAdd(hh, __halves2half2(__int2half_rn(t % 7), __int2half_rn(-(t % 2))));
    atomicAdd(bb + 1, __halves2bfloat162(__int2bfloat16_rn(t & 1), __int2bfloat16_rn(-2 * (t & 1))));
    atomicAdd(f2, make_float2(t, -t));
    atomicAdd(f4, make_float4(1, 2, t & 1, 0.5f));
    atomicAdd(sh + 1, __int2half_rn(1));
    atomicAdd(&sb, __halves2bfloat162(__int2bfloat16_rn(1), __int2bfloat16_rn(t & 1)));
    __syncthreads();
    if (t == 0) {
        shared[0] = __half_as_ushort(sh[0]) | (unsigned)__half_as_ushort(sh[1]) << 16;
        shared[1] = *(unsigned *)&sb;
    }
}
