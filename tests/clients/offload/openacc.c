// OpenACC: gangs, workers and vectors, reductions, a routine, atomics, a queue.
#include <math.h>
#include <openacc.h>
#include <stdio.h>

#define N 2000

#pragma acc routine seq
static double polynomial(double x) { return ((x - 2) * x + 3) * x - 1; }

static float m[64][64], t[64][64];
static double d[N];
static int counts[8];

int main(void)
{
    double sum = 0, expected = 0;
    float most = -1;
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j) m[i][j] = i * 64 + j;
    for (int i = 0; i < N; ++i) d[i] = i * 0.01, expected += polynomial(d[i]);
    printf("nvidia %d\n", acc_get_device_type() == acc_device_nvidia);

#pragma acc parallel loop gang copyin(m) copyout(t)
    for (int i = 0; i < 64; ++i) {
#pragma acc loop vector
        for (int j = 0; j < 64; ++j) t[j][i] = m[i][j];
    }
    int wrong = 0;
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j) wrong += t[j][i] != m[i][j];
    printf("wrong %d\n", wrong);

#pragma acc parallel loop reduction(+ : sum) copyin(d)
    for (int i = 0; i < N; ++i) sum += polynomial(d[i]);
    printf("sum %d\n", fabs(sum - expected) < 1e-9 * fabs(expected));

#pragma acc parallel loop gang worker vector reduction(max : most) copyin(m) collapse(2)
    for (int i = 0; i < 64; ++i)
        for (int j = 0; j < 64; ++j) most = fmaxf(most, m[i][j]);
    printf("most %g\n", most);

#pragma acc parallel loop copy(counts)
    for (int i = 0; i < N; ++i) {
#pragma acc atomic update
        counts[i % 8] += i;
    }
    printf("counts %d %d\n", counts[0], counts[7]);

#pragma acc kernels copy(d) async(1)
    for (int i = 1; i < N; ++i) d[i] = d[i] * 2;
#pragma acc wait(1)
    printf("last %g\n", d[N - 1]);
    return 0;
}
