// nvcc: -rdc=true -lineinfo -lcudadevrt
// stderr: this grid is launched here by kernel `parent(int*, int)`
// A grid that a kernel launches reads local memory of its parent: the real error, with the line of the launch.
#include <cstdio>

__global__ void reads(int *p, int *out) { *out = *p; }

__global__ void parent(int *p, int n)
{
    int local[64];
    for (int i = 0; i < 64; i++) local[i] = n * i;
    reads<<<1, 1>>>(local + n, p);
    reads<<<1, 1>>>(p, p);
}

int main()
{
    int *p, n = 3;
    cudaMalloc(&p, 4);
    parent<<<1, 1>>>(p, n);
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    std::printf("%s\n", cudaGetErrorString(cudaFree(p)));
}
