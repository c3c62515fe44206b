// Reads past the end of an array that is mapped: the line is to be named.
#include <stdio.h>

static int a[1000], sum;

int main(void)
{
#pragma omp target teams distribute parallel for map(to : a[0 : 1000]) map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i)
        sum += a[i + 4096]; // here
    printf("%d\n", sum);
    return 0;
}
