// c = a * b, n x n. KERNEL and real come from the file that includes this.
void KERNEL(const real *restrict a, const real *restrict b, real *restrict c, unsigned n)
{
#pragma omp parallel for
    for (unsigned row = 0; row < n; row++) {
        for (unsigned column = 0; column < n; column++)
            c[row * n + column] = 0;
        for (unsigned k = 0; k < n; k++)
            for (unsigned column = 0; column < n; column++)
                c[row * n + column] += a[row * n + k] * b[k * n + column];
    }
}
