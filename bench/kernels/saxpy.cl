// Twin of saxpy.cu.
__kernel void saxpy(__global const float *x, __global float *y, uint n, float a)
{
    uint i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}
