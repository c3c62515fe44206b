#include <cuda_bf16.h>
#include <cuda_fp16.h>

// 39: CUDA's vectors.
__global__ void vectors(int *out) {
    int t = threadIdx.x; //# t %d
    float4 four = make_float4(1.5f, t, -t, 0); //# four {x = %.9g, y = %.9g, z = %.9g, w = %.9g} : four.x, four.y, four.z, four.w
    int2 two = make_int2(t, four.y + 1); //# two {x = %d, y = %d} : two.x, two.y
    uchar4 bytes = make_uchar4(1, t, 3, 255); //# bytes.y %d '%c' : bytes.y, bytes.y
    double2 wide = make_double2(t / 3.0, 2); //# wide {x = %.17g, y = %.17g} : wide.x, wide.y
    four.w = two.x + wide.y;
    four = make_float4(four.w, four.z, four.y, four.x);
    longlong2 longs = make_longlong2(1LL << 40, -t); //# longs {x = %lld, y = %lld} : longs.x, longs.y
    uint3 where = blockIdx; //# where {x = %u, y = %u, z = %u} : where.x, where.y, where.z
    dim3 size = blockDim; //# size.x %u
    float4 row[2] = {four, four}; //# row[1].z %.9g
    row[1].z += size.x;
    out[t] = (int)(row[1].z + four.x) + two.y + bytes.w + (int)longs.y + where.x;
}

// 40: pairs of halves.
__global__ void pairs(int *out) {
    int t = threadIdx.x; //# t %d
    __half2 pair = __floats2half2_rn(0.5f, t); //# pair.x %.9g : __low2float(pair) | pair.y %.9g : __high2float(pair)
    __half2 sum = __hadd2(pair, pair); //# sum.x %.9g : __low2float(sum) | sum.y %.9g : __high2float(sum)
    __nv_bfloat162 brains = __floats2bfloat162_rn(2.0f, -t); //# brains.y %.9g : __high2float(brains)
    pair = __hmul2(sum, pair);
    brains = __hadd2(brains, brains);
    out[t] = (int)(__high2float(pair) + __low2float(brains));
}
