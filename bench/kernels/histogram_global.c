// Plain loop of histogram_global.cu.
void histogram_global(const unsigned *restrict in, unsigned *restrict counts, unsigned n)
{
#pragma omp parallel for reduction(+ : counts[ : 4096])
    for (unsigned i = 0; i < n; i++)
        counts[in[i] % 4096]++;
}
