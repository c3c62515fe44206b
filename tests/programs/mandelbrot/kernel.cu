// Escape times of the Mandelbrot set, in f32 and in f64: the two part where rounding matters.

template <typename Real> __device__ int escape(Real cx, Real cy, int limit)
{
    Real x = 0, y = 0;
    int n = 0;
    for (; n < limit && x * x + y * y <= (Real)4; ++n) {
        Real next = x * x - y * y + cx;
        y = (Real)2 * x * y + cy;
        x = next;
    }
    return n;
}

template <typename Real> __global__ void mandelbrot(unsigned char *out, Real left, Real top, Real step, int width, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    out[y * width + x] = escape<Real>(left + (Real)x * step, top + (Real)y * step, limit);
}

template __global__ void mandelbrot<float>(unsigned char *, float, float, float, int, int);
template __global__ void mandelbrot<double>(unsigned char *, double, double, double, int, int);
