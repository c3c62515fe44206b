// Plain loops of spmv.cu.
void spmv(const unsigned *restrict starts, const unsigned *restrict columns, const float *restrict values,
    const float *restrict vector, float *restrict out, unsigned rows)
{
#pragma omp parallel for schedule(static)
    for (unsigned row = 0; row < rows; row++) {
        float sum = 0;
        for (unsigned k = starts[row]; k < starts[row + 1]; k++)
            sum += values[k] * vector[columns[k]];
        out[row] = sum;
    }
}
