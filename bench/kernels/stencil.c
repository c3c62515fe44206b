// Plain loops of stencil.cu, step after step.
static void one_step(const float *restrict in, float *restrict out, unsigned n, float centre, float side)
{
#pragma omp parallel for
    for (unsigned y = 0; y < n; y++) {
        unsigned row = y * n;
        if (y == 0 || y == n - 1) {
            for (unsigned x = 0; x < n; x++)
                out[row + x] = in[row + x];
            continue;
        }
        out[row] = in[row];
        for (unsigned i = row + 1; i < row + n - 1; i++)
            out[i] = centre * in[i] + side * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
        out[row + n - 1] = in[row + n - 1];
    }
}

// Two steps, to and fro, so many times.
void stencil(float *restrict here, float *restrict there, unsigned n, float centre, float side, unsigned times)
{
    for (unsigned k = 0; k < times; k++) {
        one_step(here, there, n, centre, side);
        one_step(there, here, n, centre, side);
    }
}
