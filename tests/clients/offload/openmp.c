// OpenMP: regions with teams, reductions, atomics, functions of libm, arrays that stay on the device.
#include <math.h>
#include <omp.h>
#include <stdio.h>

#define N 5000

#pragma omp declare target
static double polynomial(double x) { return ((x - 2) * x + 3) * x - 1; }
#pragma omp end declare target

static float a[N], b[N];
static double d[N], e[N];
static int counts[16];

int main(void)
{
    int is_host = 1;
    for (int i = 0; i < N; ++i) a[i] = i % 100, b[i] = 1, d[i] = i;
#pragma omp target map(from : is_host)
    is_host = omp_is_initial_device();
    printf("devices %d, on the host %d\n", omp_get_num_devices(), is_host);

#pragma omp target teams distribute parallel for map(to : a) map(tofrom : b)
    for (int i = 0; i < N; ++i) b[i] += 2 * a[i];
    float sum = 0, expected = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) map(to : b)
    for (int i = 0; i < N; ++i) sum += b[i];
    for (int i = 0; i < N; ++i) expected += 1 + 2 * (i % 100);
    printf("sum %d\n", sum == expected);

#pragma omp target data map(tofrom : d) map(from : e)
    {
#pragma omp target teams distribute parallel for
        for (int i = 0; i < N; ++i) d[i] = sqrt(d[i]) + sin(d[i]);
#pragma omp target teams distribute parallel for simd
        for (int i = 0; i < N; ++i) e[i] = polynomial(d[i]);
    }
    double worst = 0;
    for (int i = 0; i < N; ++i) {
        worst = fmax(worst, fabs(d[i] - (sqrt(i) + sin(i))));
        worst = fmax(worst, fabs(e[i] - polynomial(d[i])) / (1 + fabs(e[i])));
    }
    printf("near %d\n", worst < 1e-12);

#pragma omp target parallel for map(tofrom : counts)
    for (int i = 0; i < 1000; ++i) {
#pragma omp atomic
        counts[i % 16]++;
    }
    printf("counts %d %d\n", counts[0], counts[15]);

    int most = -1;
#pragma omp target teams distribute parallel for collapse(2) reduction(max : most)
    for (int i = 0; i < 60; ++i)
        for (int j = 0; j < 70; ++j) most = i * j % 997 > most ? i * j % 997 : most;
    printf("most %d\n", most);
    return 0;
}
