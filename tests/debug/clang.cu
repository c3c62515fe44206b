#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

struct Pair { int first; float second; };
union Word { float f; unsigned bits; };
enum Kind { EVEN = 2, ODD = 3 };

__device__ int table[4] = {1, 2, 3, 4};

template <typename T> __device__ __attribute__((noinline)) T largest(const T *from, int n) {
    T best = from[0];
    for (int i = 1; i < n; i++)
        if (from[i] > best)
            best = from[i];
    return best;
}

__device__ __attribute__((always_inline)) inline int twice(int n) {
    int m = n + n;
    return m;
}

__device__ int depth(int n) {
    int own = 10 * n;
    if (n == 0)
        return own;
    return depth(n - 1) + own;
}

__global__ void work(int *out, int n, Pair given) {
    __shared__ int tile[32];
    int t = __nvvm_read_ptx_sreg_tid_x();
    Pair pair = {t, 0.5f * t};
    Word word;
    word.f = 1.5f;
    Kind kind = t % 2 ? ODD : EVEN;
    int row[3] = {t, 7, n};
    int &alias = row[1];
    alias += t;
    tile[t] = twice(row[1]);
    __nvvm_bar_sync(0);
    int most = largest(row, 3);
    int deep = depth(2);
    auto sum = [=](int x) { return x + pair.first; };
    int all = sum(most) + deep + tile[t] + (int)(word.bits & 1) + kind + table[t % 4] + given.first;
    out[t] = all;
}
