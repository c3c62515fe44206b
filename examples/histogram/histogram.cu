// How often each brightness occurs, counted in a surface: reductions are atomic, no thread waits
// for another. The darkest and the brightest go to a second one.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false histogram.cu -o histogram.ptx

typedef unsigned long long handle;

extern "C" __global__ void histogram(cudaTextureObject_t picture, handle bins, handle ends, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    uchar4 p = tex2D<uchar4>(picture, x, y);
    unsigned luma = (77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8;
    // `.b`: x counts bytes. `.p`: x counts texels, whose format says how they compare.
    asm volatile("sured.b.add.1d.u32.trap [%0, {%1}], %2;" : : "l"(bins), "r"(luma * 4), "r"(1));
    asm volatile("sured.p.min.1d.b32.trap [%0, {%1}], %2;" : : "l"(ends), "r"(0), "r"(luma));
    asm volatile("sured.p.max.1d.b32.trap [%0, {%1}], %2;" : : "l"(ends), "r"(1), "r"(luma));
}
