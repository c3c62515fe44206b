// A matrix transposed through a padded tile in shared memory; the sizes are not multiples of the tile.

extern "C" __global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[16][17];
    int x = blockIdx.x * 16 + threadIdx.x;
    for (int k = 0; k < 16; k += blockDim.y) {
        int y = blockIdx.y * 16 + threadIdx.y + k;
        if (x < width && y < height)
            tile[threadIdx.y + k][threadIdx.x] = in[y * width + x];
    }
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x;
    for (int k = 0; k < 16; k += blockDim.y) {
        int y = blockIdx.x * 16 + threadIdx.y + k;
        if (x < height && y < width)
            out[y * height + x] = tile[threadIdx.x][threadIdx.y + k];
    }
}
