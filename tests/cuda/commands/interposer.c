// Stands between a program and the runtime, as leak checkers and profilers do (LD_PRELOAD).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

int cudaMalloc(void **pointer, size_t size)
{
    int (*next)(void **, size_t) = (int (*)(void **, size_t))dlsym(RTLD_NEXT, "cudaMalloc");
    fprintf(stderr, "interposer: cudaMalloc of %zu bytes\n", size);
    return next(pointer, size);
}
