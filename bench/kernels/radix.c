// Plain loops beside radix.cu: parts of 2048 keys are sorted by eight bits at a time.
enum { KEYS = 2048 };

void radix(unsigned *restrict keys, unsigned parts)
{
#pragma omp parallel for
    for (unsigned p = 0; p < parts; p++) {
        unsigned other[KEYS], *from = keys + p * KEYS, *to = other;
        for (unsigned shift = 0; shift < 32; shift += 8) {
            unsigned starts[257] = {0};
            for (unsigned i = 0; i < KEYS; i++)
                starts[(from[i] >> shift & 255) + 1]++;
            for (unsigned d = 0; d < 256; d++)
                starts[d + 1] += starts[d];
            for (unsigned i = 0; i < KEYS; i++)
                to[starts[from[i] >> shift & 255]++] = from[i];
            unsigned *other_one = from;
            from = to;
            to = other_one;
        }
    }
}
