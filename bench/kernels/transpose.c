// Plain loops of transpose.cu, in tiles, as everybody writes them on a CPU.
enum { TILE = 32 };

void transpose(const float *restrict in, float *restrict out, unsigned n)
{
#pragma omp parallel for
    for (unsigned top = 0; top < n; top += TILE)
        for (unsigned left = 0; left < n; left += TILE)
            for (unsigned x = left; x < left + TILE; x++)
                for (unsigned y = top; y < top + TILE; y++)
                    out[x * n + y] = in[y * n + x];
}
