// Device printf: every conversion, widths and precisions, strings; a line from each thread in order of the lanes.
#if !defined(__CUDACC_RTC__) && !defined(__clang__)
#include <cstdio>
#endif

__device__ const char *name(int k) { return k == 0 ? "zero" : k == 1 ? "one" : "many"; }

extern "C" __global__ void print(const float *f, int n)
{
    int t = threadIdx.x;
    if (t < n)
        printf("thread %d of %u: %s, %f\n", t, blockDim.x, name(t), f[t]);
    if (t == 1) {
        printf("[%5d|%-5d|%05d|%+d|% d]\n", 42, 42, 42, 42, 42);
        printf("[%x|%X|%#x|%o|%u|%c|%%]\n", 255, 255, 255, 8, -1, 'q');
        printf("[%.3f|%10.2f|%-10.1f|%e|%.2E|%g|%G]\n", 3.14159, 2.71828, 1.5, 12345.678, 0.00012, 0.0001, 1e20);
        printf("[%lld|%llu|%llx|%ld|%hd]\n", -5000000000ll, 18446744073709551615ull, 0xdeadbeefcafell, 7l, 300);
        printf("[%8s|%-8s|%.2s|%s]\n", "ab", "ab", "abcdef", "");
        printf("no arguments\n");
    }
}
