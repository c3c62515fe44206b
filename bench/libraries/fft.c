// Transforms of cuFFT on texunit beside FFTW (FFTW_ESTIMATE), each on one thread: nanoseconds for all of a batch, and how many times as fast
// cuFFT is. The transforms are complex, in single precision, out of place; a batch is 2^17 elements or one transform, since a call
// of cuFFT is a launch; the time is the best of some rounds. `fft LIBRARY 1`: batches of one transform.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *(*plan_dft)(int, const int *, int, void *, const int *, int, int, void *, const int *, int, int, int, unsigned);

static void *of(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s: %s\n", name, dlerror());
        exit(1);
    }
    return found;
}

static void *opened(const char *name)
{
    void *library = dlopen(name, RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return library;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int argc, char **argv)
{
    void *fftw = opened(argc > 1 ? argv[1] : "libfftw3f.so.3");
    void *cufft = opened("libcufft.so.12"), *cudart = opened("libcudart.so.13");
    plan_dft plan = (plan_dft)of(fftw, "fftwf_plan_many_dft");
    void (*execute)(void *) = (void (*)(void *))of(fftw, "fftwf_execute");
    void (*destroy)(void *) = (void (*)(void *))of(fftw, "fftwf_destroy_plan");
    int (*make)(int *, int, int, int) = (int (*)(int *, int, int, int))of(cufft, "cufftPlan1d");
    int (*exec)(int, void *, void *, int) = (int (*)(int, void *, void *, int))of(cufft, "cufftExecC2C");
    int (*end)(int) = (int (*)(int))of(cufft, "cufftDestroy");
    int (*allocate)(void **, size_t) = (int (*)(void **, size_t))of(cudart, "cudaMalloc");
    int (*release)(void *) = (int (*)(void *))of(cudart, "cudaFree");
    int (*copy)(void *, const void *, size_t, int) = (int (*)(void *, const void *, size_t, int))of(cudart, "cudaMemcpy");

    puts("size batch FFTW cuFFT ratio");
    for (int bits = 10; bits <= 22; ++bits) {
        const int size = 1 << bits, rounds = 9;
        const int batch = argc > 2 ? atoi(argv[2]) : bits < 17 ? 1 << (17 - bits) : 1, n = size * batch;
        const int repeats = n < 1 << 19 ? (1 << 20) / n : 2;
        float *in = aligned_alloc(64, 8 * (size_t)n), *out = aligned_alloc(64, 8 * (size_t)n);
        // FFTW_ESTIMATE
        void *fast = plan(1, &size, batch, in, NULL, 1, size, out, NULL, 1, size, -1, 1u << 6);
        for (int i = 0; i < 2 * n; ++i)
            in[i] = (float)(i * 2654435761u >> 8) / (1 << 24) - 0.5f;
        void *from, *to;
        int handle;
        if (allocate(&from, 8 * (size_t)n) || allocate(&to, 8 * (size_t)n) || copy(from, in, 8 * (size_t)n, 1) ||
            make(&handle, size, 0x29, batch))
            return 1;
        double best[2] = {1e300, 1e300};
        for (int round = 0; round < rounds; ++round) {
            for (int which = 0; which < 2; ++which) {
                double begin = now();
                for (int i = 0; i < repeats; ++i) {
                    if (which == 0)
                        execute(fast);
                    else if (exec(handle, from, to, -1))
                        return 1;
                }
                double took = (now() - begin) / repeats;
                if (took < best[which])
                    best[which] = took;
            }
        }
        printf("2^%d %d %.0f %.0f %.2f\n", bits, batch, best[0], best[1], best[0] / best[1]);
        end(handle);
        release(from);
        release(to);
        destroy(fast);
        free(in);
        free(out);
    }
    return 0;
}
