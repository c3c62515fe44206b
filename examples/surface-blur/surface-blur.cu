// A binomial blur of nine by nine texels between two surfaces. A CTA loads its tile with a margin of four texels into
// shared memory (surf2Dread, clamp), waits at a barrier, blurs the rows, waits again, blurs the columns
// and writes (surf2Dwrite). Integers throughout.
//
//   nvcc -arch=compute_75 -ptx -O3 surface-blur.cu -o surface-blur.ptx   (CUDA 13.5)

constexpr int TILE = 16, MARGIN = 4, SPAN = TILE + 2 * MARGIN;

__device__ uint4 tap(uint4 sum, uint4 p, unsigned w)
{
    return make_uint4(sum.x + w * p.x, sum.y + w * p.y, sum.z + w * p.z, sum.w + w * p.w);
}

__constant__ unsigned binomial[9] = {1, 8, 28, 56, 70, 56, 28, 8, 1};

extern "C" __global__ void blur(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height)
{
    __shared__ uchar4 tile[SPAN][SPAN];
    __shared__ uint4 rows[SPAN][TILE];

    int left = blockIdx.x * TILE - MARGIN, top = blockIdx.y * TILE - MARGIN;
    for (int j = threadIdx.y; j < SPAN; j += TILE)
        for (int i = threadIdx.x; i < SPAN; i += TILE) {
            uchar4 p;
            surf2Dread(&p, from, (left + i) * (int)sizeof(uchar4), top + j, cudaBoundaryModeClamp);
            tile[j][i] = p;
        }
    __syncthreads();

    for (int j = threadIdx.y; j < SPAN; j += TILE) {
        uint4 sum = make_uint4(0, 0, 0, 0);
        for (int k = 0; k < 9; ++k) {
            uchar4 p = tile[j][threadIdx.x + k];
            sum = tap(sum, make_uint4(p.x, p.y, p.z, p.w), binomial[k]);
        }
        rows[j][threadIdx.x] = sum;
    }
    __syncthreads();

    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x >= width || y >= height)
        return;
    uint4 sum = make_uint4(32768, 32768, 32768, 32768);
    for (int k = 0; k < 9; ++k)
        sum = tap(sum, rows[threadIdx.y + k][threadIdx.x], binomial[k]);
    surf2Dwrite(make_uchar4(sum.x >> 16, sum.y >> 16, sum.z >> 16, sum.w >> 16), to,
                x * (int)sizeof(uchar4), y);
}
