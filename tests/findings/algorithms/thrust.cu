// Algorithms of Thrust, with their results compared: thrust [ELEMENTS]. No check finds anything.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>
#include <thrust/scan.h>
#include <thrust/reduce.h>
#include <thrust/copy.h>
#include <thrust/unique.h>
#include <thrust/transform.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <algorithm>
#include <numeric>
#include <cstdio>
#include <cstdlib>
struct ByTens { __host__ __device__ bool operator()(int x, int y) const { return x / 10 < y / 10; } };
struct Odd { __host__ __device__ bool operator()(int x) const { return x & 1; } };
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3000;
    thrust::host_vector<int> a(n);
    unsigned r = 1;
    for (int i = 0; i < n; i++) { r = r * 1664525u + 1013904223u; a[i] = int(r >> 16) % 100; }
    thrust::device_vector<int> d = a, o(n), k(n), v(n);
    printf("reduce %d\n", thrust::reduce(d.begin(), d.end()) == std::accumulate(a.begin(), a.end(), 0));
    thrust::exclusive_scan(d.begin(), d.end(), o.begin());
    thrust::host_vector<int> h = o;
    bool ok = true; for (int i = 0, s = 0; i < n; s += a[i++]) ok &= h[i] == s;
    printf("scan %d\n", ok);
    auto end = thrust::copy_if(d.begin(), d.end(), o.begin(), Odd());
    printf("copy_if %d\n", end - o.begin() == std::count_if(a.begin(), a.end(), Odd()));
    thrust::sort(d.begin(), d.end());
    h = d; auto w = a; std::sort(w.begin(), w.end()); printf("sort %d\n", h == w);
    thrust::device_vector<int> s = a; thrust::sort(s.begin(), s.end(), thrust::greater<int>());
    h = s; std::reverse(w.begin(), w.end()); printf("sort down %d\n", h == w);
    s = a; thrust::stable_sort(s.begin(), s.end(), ByTens());
    h = s; w = a; std::stable_sort(w.begin(), w.end(), ByTens()); printf("merge sort %d\n", h == w);
    auto e = thrust::reduce_by_key(d.begin(), d.end(), thrust::constant_iterator<int>(1), k.begin(), v.begin());
    h = v; printf("histogram %d\n", int(e.first - k.begin()) == 100 && std::accumulate(h.begin(), h.begin() + 100, 0) == n);
    auto u = thrust::unique_copy(d.begin(), d.end(), o.begin()); printf("unique %d\n", u - o.begin() == 100);
    return 0;
}
