// printf from divergent branches and from a loop: whole lines, each thread's own in its order.
#if !defined(__CUDACC_RTC__) && !defined(__clang__)
#include <cstdio>
#endif

extern "C" __global__ void order(int n)
{
    for (int i = 0; i < n; ++i)
        if (threadIdx.x == i)
            printf("turn %d\n", i);
    if (threadIdx.x == 31)
        for (int i = 3; i > 0; --i)
            printf("%d%s", i, i > 1 ? ", " : "\n");
}
