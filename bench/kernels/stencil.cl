// Twin of stencil.cu.
__kernel void stencil(__global const float *in, __global float *out, uint n, float centre, float side)
{
    uint x = get_global_id(0), y = get_global_id(1), i = y * n + x;
    if (x >= n || y >= n)
        return;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        out[i] = in[i];
    else
        out[i] = centre * in[i] + side * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}
