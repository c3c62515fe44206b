// __device__ and __constant__ variables by their symbols, and kernels that use them.
#include <cstdio>

__constant__ float weights[4] = {1.0f, 2.0f, 3.0f, 4.0f};
__device__ int counter = 40;
__device__ double table[8];
static __device__ int hidden[2] = {5, 6};

namespace inner {
__device__ int value = 11;
}

__global__ void use(float *out)
{
    out[threadIdx.x] = weights[threadIdx.x];
    if (threadIdx.x == 0) {
        counter += 2;
        table[3] = hidden[0] * hidden[1] + inner::value;
    }
}

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

int main()
{
    float *out, host[4];
    CHECK(cudaMalloc(&out, sizeof host));
    use<<<1, 4>>>(out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);

    float two[2] = {0.5f, 0.25f};
    CHECK(cudaMemcpyToSymbol(weights, two, sizeof two, 2 * sizeof(float)));
    int six = 60;
    CHECK(cudaMemcpyToSymbol(hidden, &six, sizeof six, sizeof(int)));
    use<<<1, 4>>>(out);
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%g %g %g %g\n", host[0], host[1], host[2], host[3]);

    int count = 0;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    double three = 0;
    CHECK(cudaMemcpyFromSymbol(&three, table, sizeof three, 3 * sizeof(double)));
    std::printf("%d %g\n", count, three);

    void *address = nullptr;
    size_t size = 0;
    CHECK(cudaGetSymbolAddress(&address, table));
    CHECK(cudaGetSymbolSize(&size, table));
    CHECK(cudaMemcpy(&three, (double *)address + 3, sizeof three, cudaMemcpyDeviceToHost));
    std::printf("%zu %g\n", size, three);
    CHECK(cudaGetSymbolSize(&size, weights));
    std::printf("%zu\n", size);

    int local = 0;
    std::printf("%s\n", cudaGetErrorName(cudaGetSymbolAddress(&address, (const void *)&local)));
    std::printf("%s\n", cudaGetErrorName(cudaMemcpyToSymbol(weights, two, sizeof two, 12)));
}
