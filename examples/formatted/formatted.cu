// The same numbers through `sust.p` into surfaces of three formats: the unit clamps and converts.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false formatted.cu -o formatted.ptx

typedef unsigned long long handle;

extern "C" __global__ void paint(handle bytes, handle shorts, handle halves, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    // Unsigned channels: 300 is stored as 255, and so is a negative number, which is large.
    asm volatile("sust.p.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};"
                 : : "l"(bytes), "r"(x), "r"(y), "r"(x * 5), "r"(y * 5), "r"(x - y), "r"(255));
    // Signed channels: limited to -32768 and 32767. `.v2` writes two of them.
    int a = (x - size / 2) * 2000, b = (y - size / 2) * 2000;
    asm volatile("sust.p.2d.v2.b32.trap [%0, {%1, %2}], {%3, %4};"
                 : : "l"(shorts), "r"(x), "r"(y), "r"(a), "r"(b));
    // Halves: rounded toward zero, past the largest one to 65504. One component: the rest is 0.
    float f = x * y * 37.625f;
    asm volatile("sust.p.2d.b32.trap [%0, {%1, %2}], {%3};"
                 : : "l"(halves), "r"(x), "r"(y), "r"(__float_as_int(f)));
}
