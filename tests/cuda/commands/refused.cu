// Calls that are refused, each for a reason that --report-api-errors says.
#include <cstdio>
#include <cstdlib>

__global__ void fill(int *out, int n)
{
    if (threadIdx.x < n) out[threadIdx.x] = n;
}

__device__ int word[4];

static void not_a_kernel() {}

static void show(cudaError_t code) { std::printf("%s\n", cudaGetErrorName(code)); }

static void textures(int *memory)
{
    cudaTextureObject_t texture = 0;
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<int>();
    resource.res.pitch2D.width = 4;
    resource.res.pitch2D.height = 4;
    resource.res.pitch2D.pitchInBytes = 20;
    show(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    resource.res.pitch2D.pitchInBytes = 32;
    how.filterMode = cudaFilterModeLinear;
    show(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    how.filterMode = cudaFilterModePoint;
    resource.res.pitch2D.devPtr = memory + 1;
    show(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    show(cudaDestroyTextureObject(77));
}

int main()
{
    int *memory = nullptr, host[4] = {};
    show(cudaMalloc(&memory, 256));
    textures(memory);
    show(cudaMemcpy(memory, host, 1000, cudaMemcpyHostToDevice));
    show(cudaMemcpy(memory, host, 16, (cudaMemcpyKind)9));
    show(cudaMemcpy2D(memory, 8, host, 16, 16, 2, cudaMemcpyHostToDevice));
    show(cudaMemcpyToSymbol(word, host, 16, 4));
    fill<<<1, 1025>>>(memory, 4);
    show(cudaGetLastError());
    fill<<<1, 1, 100000>>>(memory, 4);
    show(cudaGetLastError());
    show(cudaLaunchKernel((const void *)not_a_kernel, 1, 1, nullptr, 0, 0));
    show(cudaSetDevice(9));
    show(cudaStreamSynchronize((cudaStream_t)0x1234));
    show(cudaMalloc(&memory, (size_t)1 << 45));
    show(cudaFree(host));
    show(cudaDestroyExternalSemaphore(nullptr));
    // Ordinary answers, and the same mistake many times.
    show(cudaStreamQuery(0));
    for (int i = 0; i < 25; i++) cudaSetDevice(9);
    // After a fault, each call is refused for one reason.
    fill<<<1, 4>>>((int *)16, 4);
    show(cudaDeviceSynchronize());
    show(cudaFree(memory));
}
