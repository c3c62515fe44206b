// A texture that is only partly in memory. The predicate of a fetch says whether all texels were
// there; if not, the next smaller level is tried. Pixels that had to are reddened.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false sparse.cu -o sparse.ptx

typedef unsigned long long handle;

__device__ bool fetch(handle picture, float u, float v, float level, float4 &c)
{
    int there;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 "tex.level.2d.v4.f32.f32 {%0, %1, %2, %3}|p, [%5, {%6, %7}], %8;\n\t"
                 "selp.s32 %4, 1, 0, p;\n\t"
                 "}"
                 : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w), "=r"(there)
                 : "l"(picture), "f"(u), "f"(v), "f"(level));
    return there;
}

extern "C" __global__ void stream(handle picture, uchar4 *out, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float u = (x + 0.5f) / size, v = (y + 0.5f) / size;
    float4 c = make_float4(0, 0, 0, 0);
    int level = 0;
    while (level < 8 && !fetch(picture, u, v, level, c))
        level++;
    float rest = 1 - level * 0.25f;
    out[y * size + x] = make_uchar4(fmaf(c.x, 255, 0.5f), fmaf(c.y * rest, 255, 0.5f),
                                    fmaf(c.z * rest, 255, 0.5f), 255);
}
