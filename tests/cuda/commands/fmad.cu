// A product and a sum that PTX leaves to the assembler, and those that it does not: bits of a * b + c.
#include <cstdio>
#include <cstring>

__global__ void sums(float *out, float a, float b, float c)
{
    asm("{\n.reg .f32 t;\nmul.f32 t, %1, %2;\nadd.f32 %0, t, %3;\n}" : "=f"(out[0]) : "f"(a), "f"(b), "f"(c));
    asm("{\n.reg .f32 t;\nmul.rn.f32 t, %1, %2;\nadd.rn.f32 %0, t, %3;\n}" : "=f"(out[1]) : "f"(a), "f"(b), "f"(c));
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(out[2]) : "f"(a), "f"(b), "f"(c));
}

int main()
{
    // (1 + 2^-23) * (1 - 2^-23) - 1: 0 with two roundings, -2^-46 with one.
    float step = 1.0f / (1 << 23), *out, result[3];
    cudaMalloc(&out, sizeof result);
    sums<<<1, 1>>>(out, 1 + step, 1 - step, -1);
    if (cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost)) return 1;
    for (float value : result) {
        unsigned bits;
        memcpy(&bits, &value, sizeof bits);
        printf("%08x\n", bits);
    }
}
