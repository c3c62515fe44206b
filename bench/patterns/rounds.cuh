// What all patterns do around their launches: rounds of them, and a line with the milliseconds of each.

#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void must(cudaError_t done, const char *what)
{
    if (done == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(done));
    std::exit(1);
}
#define MUST(call) must((call), #call)

// Each pixel of a picture: smooth, and with details.
inline std::vector<float> picture(int w, int h)
{
    std::vector<float> all(size_t(w) * h);
    unsigned state = 1;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            state = state * 1664525u + 1013904223u;
            all[size_t(y) * w + x] = float((x * y / 64) % 256) + float(state >> 28);
        }
    return all;
}

// Runs `once` as often as the command line says, and prints the sum that the last one returns, so that no check changes it.
template <class Once> int rounds(int argc, char **argv, Once once)
{
    double sum = 0;
    for (int left = argc > 1 ? std::atoi(argv[1]) : 1; left > 0; left--) {
        auto start = std::chrono::steady_clock::now();
        sum = once();
        MUST(cudaDeviceSynchronize());
        std::printf("ms %.3f\n", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::printf("sum %.9g\n", sum);
    return 0;
}

inline double sum_of(const float *device, size_t count)
{
    std::vector<float> host(count);
    MUST(cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float value : host) sum += value;
    return sum;
}
