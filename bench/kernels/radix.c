// Plain loops beside radix.cu: keys sorted by eight bits at a time; each thread counts and moves its part.
#include "threads.h"

enum { DIGITS = 256, MOST = 64 };

void radix(unsigned *restrict keys, unsigned *restrict other, unsigned n)
{
    static unsigned places[MOST][DIGITS];
    int wanted = omp_get_max_threads();
#pragma omp parallel num_threads(wanted < MOST ? wanted : MOST)
    {
        unsigned count = omp_get_num_threads(), me = omp_get_thread_num();
        unsigned first = (unsigned long long)n * me / count, end = (unsigned long long)n * (me + 1) / count;
        unsigned *from = keys, *to = other, *mine = places[me];
        for (unsigned shift = 0; shift < 32; shift += 8) {
            for (unsigned d = 0; d < DIGITS; d++)
                mine[d] = 0;
            for (unsigned i = first; i < end; i++)
                mine[from[i] >> shift & 255]++;
#pragma omp barrier
#pragma omp single
            for (unsigned d = 0, sum = 0; d < DIGITS; d++)
                for (unsigned t = 0; t < count; t++) {
                    unsigned here = places[t][d];
                    places[t][d] = sum;
                    sum += here;
                }
            for (unsigned i = first; i < end; i++)
                to[mine[from[i] >> shift & 255]++] = from[i];
#pragma omp barrier
            unsigned *turned = from;
            from = to;
            to = turned;
        }
    }
}
