// What a program does when it ends: functions of atexit, which are asked for before and after CUDA is used, and destructors.
// With an argument, one stream is never destroyed.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void add(float *p, cudaTextureObject_t t) { p[threadIdx.x] += tex2D<float>(t, threadIdx.x + 0.5f, 0.5f) + 1; }

static float *memory;
static cudaTextureObject_t texture;
static cudaArray_t array;
static cudaStream_t first, second, third;

static void work(const char *when)
{
    add<<<1, 32, 0, first>>>(memory, texture);
    cudaError_t launched = cudaGetLastError();
    float got[32] = {0};
    cudaError_t copied = cudaMemcpy(got, memory, sizeof got, cudaMemcpyDefault);
    std::printf("%s: %d %d, %g\n", when, launched, copied, got[5]);
}

static void early()
{
    work("atexit, before CUDA was used");
    std::printf("%d %d %d\n", cudaFree(memory), cudaDestroyTextureObject(texture), cudaFreeArray(array));
}

static void late() { work("atexit"); }

struct Owner {
    ~Owner() { std::printf("static object: %d\n", cudaStreamDestroy(first)); }
} owner;

__attribute__((destructor)) static void fini()
{
    std::printf("destructor: %d\n", cudaStreamDestroy(second));
}

int main(int argc, char **)
{
    std::atexit(early);
    cudaMalloc(&memory, 128);
    cudaMemset(memory, 0, 128);
    cudaStreamCreate(&first);
    cudaStreamCreate(&second);
    if (argc > 1) cudaStreamCreate(&third);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    float texels[32];
    for (int i = 0; i < 32; i++) texels[i] = i;
    cudaMallocArray(&array, &format, 32, 1);
    cudaMemcpy2DToArray(array, 0, 0, texels, 128, 128, 1, cudaMemcpyDefault);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    std::atexit(late);
    work("main");
}
