// A sum over the threads of all teams.
#include <stdio.h>

int main(void)
{
    int sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
    for (int i = 0; i < 1000; ++i)
        sum += i;
    printf("sum %d\n", sum);
    return 0;
}
