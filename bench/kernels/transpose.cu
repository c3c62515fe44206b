// out = transposed in, n x n, in tiles of 32 x 32 through shared memory; a thread moves four elements.
constexpr unsigned TILE = 32, ROWS = 8;

extern "C" __global__ void __launch_bounds__(TILE *ROWS) transpose(const float *in, float *out, unsigned n)
{
    __shared__ float tile[TILE][TILE + 1];
    unsigned x = threadIdx.x, y = threadIdx.y, left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    for (unsigned k = 0; k < TILE; k += ROWS)
        tile[y + k][x] = in[(top + y + k) * n + left + x];
    __syncthreads();
    for (unsigned k = 0; k < TILE; k += ROWS)
        out[(left + y + k) * n + top + x] = tile[x][y + k];
}
