// Plain loops of ray_march.cu; a cube of texels, whose edge goes on beyond it.
typedef struct { unsigned low, high; float part; } Axis;

static inline Axis axis(float at, unsigned n)
{
    float place = at * n - 0.5f;
    place = place < 0 ? 0 : place > n - 1 ? n - 1 : place;
    unsigned low = (unsigned)place;
    return (Axis){low, low + 1 < n ? low + 1 : low, place - low};
}

static inline float mix(float a, float b, float part) { return a + (b - a) * part; }

static inline float row(const float *t, Axis x) { return mix(t[x.low], t[x.high], x.part); }

void ray_march(const float *restrict volume, float *restrict out, unsigned width, unsigned height, unsigned steps,
    float slope, unsigned n)
{
#pragma omp parallel for
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            float u = (x + 0.5f) / width, v = (y + 0.5f) / height, step = 1.0f / steps;
            float du = (u - 0.5f) * slope * step, dv = (v - 0.5f) * slope * step;
            float light = 1, sum = 0, w = 0.5f * step;
            for (unsigned k = 0; k < steps && light > 0.01f; k++) {
                Axis a = axis(u, n), b = axis(v, n), c = axis(w, n);
                const float *front = volume + c.low * n * n, *back = volume + c.high * n * n;
                float density = mix(mix(row(front + b.low * n, a), row(front + b.high * n, a), b.part),
                    mix(row(back + b.low * n, a), row(back + b.high * n, a), b.part), c.part);
                float share = density * step * 4;
                sum += light * share * density;
                light *= 1 - share;
                u += du;
                v += dv;
                w += step;
            }
            out[y * width + x] = sum;
        }
}
