// Twin of transpose.cu.
#define TILE 32
#define ROWS 8

__kernel __attribute__((reqd_work_group_size(TILE, ROWS, 1)))
void transpose(__global const float *in, __global float *out, uint n)
{
    __local float tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1), left = get_group_id(0) * TILE, top = get_group_id(1) * TILE;
    for (uint k = 0; k < TILE; k += ROWS)
        tile[y + k][x] = in[(top + y + k) * n + left + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < TILE; k += ROWS)
        out[(left + y + k) * n + top + x] = tile[x][y + k];
}
