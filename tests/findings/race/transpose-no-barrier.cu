// Without the barrier.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int tile[16][17];
    int x = threadIdx.x % 16, y = threadIdx.x / 16;
    for (int i = 0; i < 16; i += 4) tile[y + i][x] = in[(y + i) * 16 + x]; // at A // finding[race-write-after-read] with B: another warp of its CTA, in tile
    for (int i = 0; i < 16; i += 4) out[(y + i) * 16 + x] = tile[x][y + i]; // finding[race-read-after-write] with A: another lane of its warp, in tile // at B
}
