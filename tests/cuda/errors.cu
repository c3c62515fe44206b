// The errors of calls and launches, which are kept for cudaGetLastError.
#include <cstdio>

__global__ void nothing() {}

__global__ void __launch_bounds__(64) bounded(int *out) { *out = 1; }

static void not_registered() {}

static void show(const char *what, cudaError_t code)
{
    std::printf("%s: %s (%s)\n", what, cudaGetErrorName(code), cudaGetErrorString(code));
}

int main()
{
    show("none", cudaGetLastError());
    nothing<<<1, 0>>>();
    show("no threads", cudaPeekAtLastError());
    show("again", cudaGetLastError());
    show("forgotten", cudaGetLastError());
    nothing<<<0, 1>>>();
    show("no blocks", cudaGetLastError());
    nothing<<<1, 1025>>>();
    show("too many threads", cudaGetLastError());
    nothing<<<1, dim3(1, 1, 65)>>>();
    show("too deep", cudaGetLastError());
    nothing<<<dim3(1, 65536), 1>>>();
    show("too many rows", cudaGetLastError());
    nothing<<<1, 1, 200000>>>();
    show("too much shared memory", cudaGetLastError());
    bounded<<<1, 65>>>(nullptr);
    show("launch bounds", cudaGetLastError());
    void *none[] = {nullptr};
    show("not a kernel", cudaLaunchKernel((const void *)not_registered, 1, 1, none, 0, 0));
    show("last", cudaGetLastError());
    show("set device", cudaSetDevice(99));
    show("attributes", cudaFuncGetAttributes(nullptr, nothing));
    cudaFuncAttributes attributes;
    show("of no kernel", cudaFuncGetAttributes(&attributes, (const void *)not_registered));
    show("stream", cudaStreamSynchronize((cudaStream_t)0x1234));
    show("event", cudaEventCreate(nullptr));
    show("free", cudaFree((void *)0x10));
    show("out of memory", cudaMalloc((void **)&none[0], ~(size_t)0 >> 1));
    show("last of them", cudaGetLastError());
    std::printf("%s\n", cudaGetErrorString((cudaError_t)12345));
    show("still works", cudaDeviceSynchronize());
}
