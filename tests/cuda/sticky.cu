// A fault ends the context: every call answers it until the device is reset.
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
