// The samples of multi-sample pictures become pixels: left the first sample of each alone, right
// the mean of all four, of another layer. CUDA has no such textures; PTX has.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false resolve.cu -o resolve.ptx

typedef unsigned long long handle;

__device__ float4 sample(handle picture, int s, int x, int y)
{
    float4 c;
    asm volatile("tex.2dms.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"
                 : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w)
                 : "l"(picture), "r"(s), "r"(x), "r"(y));
    return c;
}

__device__ float4 layered(handle pictures, int s, int layer, int x, int y)
{
    float4 c;
    asm volatile("tex.a2dms.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}];"
                 : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w)
                 : "l"(pictures), "r"(s), "r"(layer), "r"(x), "r"(y));
    return c;
}

extern "C" __global__ void resolve(handle first, handle both, uchar4 *out, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float4 c;
    if (x < size / 2) {
        c = sample(first, 0, x, y);
    } else {
        c = layered(both, 0, 1, x, y);
        for (int s = 1; s < 4; s++) {
            float4 d = layered(both, s, 1, x, y);
            c.x += d.x, c.y += d.y, c.z += d.z;
        }
        c.x *= 0.25f, c.y *= 0.25f, c.z *= 0.25f;
    }
    out[y * size + x] =
        make_uchar4(fmaf(c.x, 255, 0.5f), fmaf(c.y, 255, 0.5f), fmaf(c.z, 255, 0.5f), 255);
}
