// One step of a 5-point stencil, n x n; the border stays.
extern "C" __global__ void __launch_bounds__(256) stencil(const float *in, float *out, unsigned n, float centre, float side)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * n + x;
    if (x >= n || y >= n)
        return;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        out[i] = in[i];
    else
        out[i] = centre * in[i] + side * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}
