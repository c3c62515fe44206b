// Plain loops of mandelbrot.cu.
void mandelbrot(unsigned *restrict out, unsigned width, unsigned height, float left, float top, float step, unsigned most)
{
#pragma omp parallel for schedule(dynamic, 4)
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
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
}
