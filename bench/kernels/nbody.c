// Plain loops of nbody.cu.
#include <math.h>

void nbody(const float *restrict bodies, float *restrict out, unsigned n, float softening)
{
#pragma omp parallel for
    for (unsigned i = 0; i < n; i++) {
        float x = bodies[4 * i], y = bodies[4 * i + 1], z = bodies[4 * i + 2], ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (unsigned k = 0; k < n; k++) {
            float dx = bodies[4 * k] - x, dy = bodies[4 * k + 1] - y, dz = bodies[4 * k + 2] - z;
            float one_over = 1 / sqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = bodies[4 * k + 3] * one_over * one_over * one_over;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        out[4 * i] = ax;
        out[4 * i + 1] = ay;
        out[4 * i + 2] = az;
        out[4 * i + 3] = 0;
    }
}
