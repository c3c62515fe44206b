// A grid that a kernel launches and its parent: `raced_device CASE`. What a thread knows when it launches comes before the grid.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void get(const int *from, int *to) { *to = *from + 1; }
__global__ void put(int *to) { *to = 5; }

// By its own thread before the launch, by another one behind a barrier: in order.
__global__ void before(int *data, int *out, bool waits)
{
    if (threadIdx.x == 1) *data = 4; // `other`
    if (waits) __syncthreads();
    if (threadIdx.x == 0) get<<<1, 1>>>(data, out);
}

__global__ void own(int *data, int *out, bool late)
{
    if (!late) *data = 4;
    get<<<1, 1>>>(data, out);
    if (late) *data = 4; // `after`
}

__global__ void tail(int *data, int *out)
{
    get<<<1, 1, 0, cudaStreamTailLaunch>>>(data, out);
    *data = 4;
}

__global__ void reads(int *data, int *out, bool late)
{
    if (!late) *out = *data;
    put<<<1, 1, 0, cudaStreamFireAndForget>>>(data);
    if (late) *out = *data; // `read`
}

// What grids of one stream do is in order; each knows what the one before knew.
__global__ void chain(int *data, int *out)
{
    *data = 3;
    put<<<1, 1>>>(data);
    get<<<1, 1>>>(data, out);
}

// A grandchild comes behind what its grandparent did before both launches.
__global__ void middle(const int *from, int *to) { get<<<1, 1>>>(from, to); }
__global__ void above(int *data, int *out, bool late)
{
    if (!late) *data = 4;
    middle<<<1, 1>>>(data, out);
    if (late) *data = 4; // `above`
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    int *data, *out;
    cudaMalloc(&data, 4), cudaMalloc(&out, 4);
    cudaMemset(data, 0, 4), cudaMemset(out, 0, 4);
    bool ordered = std::strstr(name, "-ordered") != nullptr;
    if (std::strncmp(name, "other", 5) == 0) before<<<1, 64>>>(data, out, ordered);
    if (std::strncmp(name, "after", 5) == 0) own<<<1, 1>>>(data, out, !ordered);
    if (std::strncmp(name, "read", 4) == 0) reads<<<1, 1>>>(data, out, !ordered);
    if (std::strncmp(name, "above", 5) == 0) above<<<1, 1>>>(data, out, !ordered);
    if (std::strcmp(name, "tail") == 0) tail<<<1, 1>>>(data, out);
    if (std::strcmp(name, "chain") == 0) chain<<<1, 1>>>(data, out);
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
