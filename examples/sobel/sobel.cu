// Edges by the Sobel operator. Eight point fetches a pixel read the RGBA8 texels as integers;
// clamp addressing repeats the edge. The luma is an integer, the length a correctly rounded square root.
//
//   nvcc -arch=compute_75 -ptx -O3 sobel.cu -o sobel.ptx            (CUDA 13.5)

__device__ int luma(cudaTextureObject_t picture, int x, int y)
{
    uchar4 p = tex2D<uchar4>(picture, x, y);
    return (77 * p.x + 150 * p.y + 29 * p.z + 128) >> 8;
}

__global__ void sobel(cudaTextureObject_t picture, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    const int weight[3] = {1, 2, 1};
    int gx = 0, gy = 0;
    for (int k = 0; k < 3; ++k) {
        gx += weight[k] * (luma(picture, x + 1, y + k - 1) - luma(picture, x - 1, y + k - 1));
        gy += weight[k] * (luma(picture, x + k - 1, y + 1) - luma(picture, x + k - 1, y - 1));
    }
    float length = sqrtf((float)(gx * gx + gy * gy));
    out[y * width + x] = length > 255.0f ? 255 : (unsigned char)length;
}
