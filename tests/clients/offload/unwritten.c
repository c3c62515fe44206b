// Reads what is mapped and was never written.
#include <stdio.h>

static int a[1000], sum;

int main(void)
{
#pragma omp target data map(alloc : a) map(tofrom : sum)
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 1000; ++i)
        sum += a[i]; // here
    printf("%d\n", sum);
    return 0;
}
