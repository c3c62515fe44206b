// c = a * b, n x n: a CTA computes a tile of c, and goes through the tiles of a and b in shared memory.
// KERNEL, TILE and real come from the file that includes this.
extern "C" __global__ void __launch_bounds__(TILE *TILE) KERNEL(const real *a, const real *b, real *c, unsigned n)
{
    __shared__ real as[TILE][TILE], bs[TILE][TILE];
    unsigned x = threadIdx.x, y = threadIdx.y;
    unsigned row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    real sum = 0;
    for (unsigned tile = 0; tile < n; tile += TILE) {
        as[y][x] = a[row * n + tile + x];
        bs[y][x] = b[(tile + y) * n + column];
        __syncthreads();
#pragma unroll
        for (unsigned k = 0; k < TILE; k++)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
