// Plain loop of scan.cu; with several threads each one sums its part, and then scans it behind what lies before.
#include "threads.h"

void scan(const unsigned *restrict in, unsigned *restrict out, unsigned n)
{
    unsigned sums[256] = {0};
#pragma omp parallel num_threads(omp_get_max_threads() < 255 ? omp_get_max_threads() : 255)
    {
        unsigned count = omp_get_num_threads(), me = omp_get_thread_num(), sum = 0;
        unsigned first = (unsigned long long)n * me / count, end = (unsigned long long)n * (me + 1) / count;
        if (count > 1) {
            for (unsigned i = first; i < end; i++)
                sum += in[i];
            sums[me] = sum;
#pragma omp barrier
            sum = 0;
            for (unsigned k = 0; k < me; k++)
                sum += sums[k];
        }
        for (unsigned i = first; i < end; i++)
            out[i] = sum += in[i];
    }
}
