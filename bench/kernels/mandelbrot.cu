// Steps until a point of the plane escapes, at most `most`.
extern "C" __global__ void __launch_bounds__(256) mandelbrot(unsigned *out, unsigned width, unsigned height, float left,
    float top, float step, unsigned most)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float cx = left + step * x, cy = top + step * y, zx = 0, zy = 0;
    unsigned n = 0;
    while (n < most && zx * zx + zy * zy <= 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        n++;
    }
    out[y * width + x] = n;
}
