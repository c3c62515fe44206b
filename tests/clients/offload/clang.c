// A loop over all threads of the device, and a region with threads of one team.
#include <omp.h>
#include <stdio.h>

static double a[1000], twice[1000];

int main(void)
{
    double sum = 0;
    int host = 1, threads = 0;
    for (int i = 0; i < 1000; ++i)
        a[i] = i;
#pragma omp target teams distribute parallel for map(to : a) map(from : twice)
    for (int i = 0; i < 1000; ++i)
        twice[i] = a[i] * 2;
    for (int i = 0; i < 1000; ++i)
        sum += twice[i];
#pragma omp target map(from : host, threads)
    {
        host = omp_is_initial_device();
#pragma omp parallel num_threads(64)
        {
#pragma omp master
            threads = omp_get_num_threads();
        }
    }
    printf("sum %g, on the host %d, threads %d\n", sum, host, threads);
    return 0;
}
