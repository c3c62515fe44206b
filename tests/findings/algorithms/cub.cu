// Algorithms of CUB for a whole device, with their results compared: cub [ELEMENTS]. No check finds anything.
#include <cub/cub.cuh>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <numeric>
#define OK(x) do { cudaError_t e = (x); if (e != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(e)); return 1; } } while (0)
template <class F> cudaError_t both(F f) {
    size_t n = 0; void *t = nullptr;
    cudaError_t e = f(t, n);
    if (e == cudaSuccess) e = cudaMalloc(&t, n);
    if (e == cudaSuccess) e = f(t, n);
    if (e == cudaSuccess) e = cudaFree(t);
    return e;
}
struct Odd { __host__ __device__ bool operator()(int x) const { return x & 1; } };
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 5000;
    std::vector<int> a(n), b(n);
    unsigned r = 1;
    for (auto &x : a) { r = r * 1664525u + 1013904223u; x = int(r >> 16) % 1000; }
    int *in, *out, *count; unsigned *u;
    OK(cudaMalloc(&in, n * 4)); OK(cudaMalloc(&out, n * 4)); OK(cudaMalloc(&count, 4));
    OK(cudaMemcpy(in, a.data(), n * 4, cudaMemcpyHostToDevice));
    auto get = [&](int m) { b.resize(m); return cudaMemcpy(b.data(), out, m * 4, cudaMemcpyDeviceToHost); };
    OK(both([&](void *t, size_t &s) { return cub::DeviceReduce::Sum(t, s, in, out, n); }));
    OK(get(1)); printf("reduce %d\n", b[0] == std::accumulate(a.begin(), a.end(), 0));
    OK(both([&](void *t, size_t &s) { return cub::DeviceScan::InclusiveSum(t, s, in, out, n); }));
    OK(get(n)); { std::vector<int> w(n); std::partial_sum(a.begin(), a.end(), w.begin()); printf("scan %d\n", w == b); }
    OK(both([&](void *t, size_t &s) { return cub::DeviceRadixSort::SortKeys(t, s, in, out, n); }));
    OK(get(n)); { auto w = a; std::sort(w.begin(), w.end()); printf("sort %d\n", w == b); }
    OK(both([&](void *t, size_t &s) { return cub::DeviceSelect::If(t, s, in, out, count, n, Odd()); }));
    int c; OK(cudaMemcpy(&c, count, 4, cudaMemcpyDeviceToHost)); OK(get(c));
    { std::vector<int> w; std::copy_if(a.begin(), a.end(), std::back_inserter(w), Odd()); printf("select %d\n", w == b); }
    OK(both([&](void *t, size_t &s) { return cub::DeviceHistogram::HistogramEven(t, s, in, out, 11, 0, 1000, n); }));
    OK(get(10)); { std::vector<int> w(10); for (int x : a) w[x / 100]++; printf("histogram %d\n", w == b); }
    OK(cudaFree(in)); OK(cudaFree(out)); OK(cudaFree(count));
    return 0;
}
