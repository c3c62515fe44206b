// Shadows from a depth map. Left: the unit compares and filters, which CUDA C++ has no word for.
// Right: sixteen comparisons of texels that four gathers with offsets bring.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false shadow.cu -o shadow.ptx

typedef unsigned long long handle;

__device__ float compare(handle map, float u, float v, float depth)
{
    float x, y, z, w;
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], %7;"
                 : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(map), "f"(u), "f"(v), "f"(depth));
    return x;
}

// How many of four texels the light reaches past `depth`. The offset is of the instruction.
#define GATHER(name, dx, dy)                                                                       \
    __device__ int name(handle map, float u, float v, float depth)                                 \
    {                                                                                              \
        float x, y, z, w;                                                                          \
        asm volatile("tld4.r.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {" #dx ", " #dy "};"  \
                     : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "l"(map), "f"(u), "f"(v));             \
        return (depth <= x) + (depth <= y) + (depth <= z) + (depth <= w);                          \
    }
GATHER(upper_left, -1, -1)
GATHER(upper_right, 1, -1)
GATHER(lower_left, -1, 1)
GATHER(lower_right, 1, 1)

extern "C" __global__ void light(handle map, uchar4 *out, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    // Both halves show the same part of the map.
    float u = ((x * 2 & (size - 1)) + 1.0f) / size, v = (y + 0.5f) / size;
    float depth = 0.5f + v * 0.25f, lit;
    if (x < size / 2) {
        lit = compare(map, u, v, depth);
    } else {
        int count = upper_left(map, u, v, depth) + upper_right(map, u, v, depth) +
                    lower_left(map, u, v, depth) + lower_right(map, u, v, depth);
        lit = count * 0.0625f;
    }
    float c = 0.25f + lit * 0.75f;
    out[y * size + x] = make_uchar4(fmaf(c, 235, 0.5f), fmaf(c, 215, 0.5f), fmaf(c, 180, 0.5f), 255);
}
