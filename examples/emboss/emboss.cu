// A relief: the difference of two neighbours, which one fetch each reaches by its offset operand.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false emboss.cu -o emboss.ptx

typedef unsigned long long handle;

extern "C" __global__ void emboss(handle picture, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float a[4], b[4];
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {-1, -1};"
                 : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3])
                 : "l"(picture), "f"(x + 0.5f), "f"(y + 0.5f));
    // An offset in registers; the unit keeps four bits of it, so that 17 is 1.
    asm volatile("tex.2d.v4.f32.f32 {%0, %1, %2, %3}, [%4, {%5, %6}], {%7, %8};"
                 : "=f"(b[0]), "=f"(b[1]), "=f"(b[2]), "=f"(b[3])
                 : "l"(picture), "f"(x + 0.5f), "f"(y + 0.5f), "r"(width / width), "r"(17));
    float c = ((b[0] - a[0]) + (b[1] - a[1])) + ((b[2] - a[2]) + 0.5f);
    out[y * width + x] = fmaf(fminf(fmaxf(c, 0), 1), 255, 0.5f);
}
