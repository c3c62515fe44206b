// Four generations of the game of life on a torus, one CTA, bytes in shared memory, two buffers that swap.

extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int generations)
{
    __shared__ unsigned char cells[2][16][16];
    int x = threadIdx.x, y = threadIdx.y, now = 0;
    cells[0][y][x] = in[y * 16 + x];
    __syncthreads();
#pragma unroll 1
    for (int g = 0; g < generations; ++g, now ^= 1) {
        int n = 0;
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (dx | dy) n += cells[now][(y + dy) & 15][(x + dx) & 15];
        cells[now ^ 1][y][x] = n == 3 || (n == 2 && cells[now][y][x]);
        __syncthreads();
    }
    out[y * 16 + x] = cells[now][y][x];
}
