// Recursion in device functions: Fibonacci, Ackermann, the towers of Hanoi, mutual recursion, a quicksort.

__device__ __attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

__device__ __attribute__((noinline)) int ackermann(int m, int n)
{
    if (m == 0) return n + 1;
    if (n == 0) return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ __attribute__((noinline)) int hanoi(int n, int from, int to, int *log, int at)
{
    if (n == 0) return at;
    int other = 3 - from - to;
    at = hanoi(n - 1, from, other, log, at);
    log[at++] = from * 10 + to;
    return hanoi(n - 1, other, to, log, at);
}

__device__ bool odd(unsigned n);
__device__ __attribute__((noinline)) bool even(unsigned n) { return n == 0 || odd(n - 1); }
__device__ __attribute__((noinline)) bool odd(unsigned n) { return n != 0 && even(n - 1); }

__device__ __attribute__((noinline)) void quicksort(int *v, int left, int right)
{
    if (left >= right) return;
    int pivot = v[(left + right) / 2], i = left, j = right;
    while (i <= j) {
        while (v[i] < pivot) ++i;
        while (v[j] > pivot) --j;
        if (i <= j) { int swap = v[i]; v[i++] = v[j]; v[j--] = swap; }
    }
    quicksort(v, left, j);
    quicksort(v, i, right);
}

extern "C" __global__ void recursion(int *out, int *moves, int *data)
{
    int t = threadIdx.x;
    out[t * 3] = fib(t % 13);
    out[t * 3 + 1] = ackermann(t % 3, t % 5);
    out[t * 3 + 2] = even(t * 3);
    if (t == 7) out[96] = hanoi(5, 0, 2, moves, 0);
    quicksort(data + t * 16, 0, 15);
}
