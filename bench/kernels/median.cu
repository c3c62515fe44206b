// Median of 3 x 3 texels of a picture of bytes; beyond its edges are those of its edges.
__device__ void order(unsigned &a, unsigned &b)
{
    unsigned least = min(a, b);
    b = max(a, b);
    a = least;
}

extern "C" __global__ void __launch_bounds__(256) median(cudaTextureObject_t picture, unsigned char *out, unsigned width,
    unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned p[9];
    for (int k = 0; k < 9; k++)
        p[k] = tex2D<unsigned char>(picture, int(x) + k % 3 - 0.5f, int(y) + k / 3 - 0.5f);
    // The network of Paeth, of 19 comparisons.
    order(p[1], p[2]); order(p[4], p[5]); order(p[7], p[8]);
    order(p[0], p[1]); order(p[3], p[4]); order(p[6], p[7]);
    order(p[1], p[2]); order(p[4], p[5]); order(p[7], p[8]);
    order(p[0], p[3]); order(p[5], p[8]); order(p[4], p[7]);
    order(p[3], p[6]); order(p[1], p[4]); order(p[2], p[5]);
    order(p[4], p[7]); order(p[4], p[2]); order(p[6], p[4]);
    order(p[4], p[2]);
    out[y * width + x] = p[4];
}
