// Plain loop of copy.cu.
void copy(const unsigned *restrict in, unsigned *restrict out, unsigned n)
{
#pragma omp parallel for
    for (unsigned i = 0; i < n; i++)
        out[i] = in[i];
}
