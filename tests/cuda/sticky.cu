// A fault ends the context: every call answers it until the device is reset. That cudaGetLastError forgets it is as of an
// NVIDIA H200 (sm_90), driver 580.159.04, CUDA 13.0, 2026-11-28; what follows the reset is texunit's own: the card answered
// cudaErrorDevicesUnavailable from there on (docs/cuda-api.md).
#include <cstdio>

__global__ void write(int *where) { *where = 1; }

static void show(const char *what, cudaError_t code)
{
    std::printf("%s: %s\n", what, cudaGetErrorName(code));
}

int main()
{
    int *device = nullptr, host = 0;
    show("malloc", cudaMalloc(&device, sizeof *device));
    write<<<1, 1>>>((int *)16);
    show("synchronize", cudaDeviceSynchronize());
    show("last", cudaGetLastError());
    show("last again", cudaGetLastError());
    show("copy", cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    show("malloc", cudaMalloc(&device, sizeof *device));
    write<<<1, 1>>>(device);
    show("launch", cudaGetLastError());
    show("reset", cudaDeviceReset());
    show("last", cudaGetLastError());
    show("malloc", cudaMalloc(&device, sizeof *device));
    write<<<1, 1>>>(device);
    show("launch", cudaGetLastError());
    show("copy", cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d\n", host);
}
