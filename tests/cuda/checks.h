// What programs that make many calls check them with. Each prints what is wrong, and counts it.
#pragma once
#include <cstdio>
#include <cuda_runtime.h>

static int wrong;

static void is(const char *what, cudaError_t found, cudaError_t expected = cudaSuccess)
{
    cudaGetLastError();
    if (found == expected) return;
    std::printf("%s: %s\n", what, cudaGetErrorName(found));
    wrong++;
}

static void same(const char *what, bool condition)
{
    if (!condition) std::printf("%s is wrong\n", what), wrong++;
}

#define OK(call) is(#call, call)
#define FAILS(call, code) is(#call, call, code)
