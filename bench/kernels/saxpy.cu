// y = a * x + y.
extern "C" __global__ void __launch_bounds__(256) saxpy(const float *x, float *y, unsigned n, float a)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
