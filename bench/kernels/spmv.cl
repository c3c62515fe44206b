// Twin of spmv.cu.
__kernel void spmv(__global const uint *starts, __global const uint *columns, __global const float *values,
    __global const float *vector, __global float *out, uint rows)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0;
    for (uint k = starts[row]; k < starts[row + 1]; k++)
        sum += values[k] * vector[columns[k]];
    out[row] = sum;
}
