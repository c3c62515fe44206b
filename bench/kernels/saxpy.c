// Plain loop of saxpy.cu.
void saxpy(const float *restrict x, float *restrict y, unsigned n, float a)
{
#pragma omp parallel for
    for (unsigned i = 0; i < n; i++)
        y[i] = a * x[i] + y[i];
}
