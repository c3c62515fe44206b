// Twin of mandelbrot.cu.
__kernel void mandelbrot(__global uint *out, uint width, uint height, float left, float top, float step, uint most)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float cx = left + step * x, cy = top + step * y, zx = 0, zy = 0;
    uint n = 0;
    while (n < most && zx * zx + zy * zy <= 4) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        n++;
    }
    out[y * width + x] = n;
}
