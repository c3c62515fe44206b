// Matrix in CSR times vector: a thread a row.
extern "C" __global__ void __launch_bounds__(256) spmv(const unsigned *starts, const unsigned *columns, const float *values,
    const float *vector, float *out, unsigned rows)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (unsigned k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * vector[columns[k]];
    out[row] = sum;
}
