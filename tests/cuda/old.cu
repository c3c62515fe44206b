// Functions that CUDA 13 does not have any more.
// nvcc: -w
// only: 12-shared 12-static
#include <cstdio>
#include <cstring>

static int wrong;

static void is(const char *what, cudaError_t found, cudaError_t expected = cudaSuccess)
{
    if (found == expected) return;
    std::printf("%s: %s\n", what, cudaGetErrorName(found));
    wrong++;
}

#define OK(call) is(#call, call)

__global__ void write(int *out) { *out = 5; }

int main()
{
    int *out, result = 0;
    OK(cudaMalloc(&out, 64));
    write<<<1, 1>>>(out);
    OK(cudaThreadSynchronize());
    OK(cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost));
    std::printf("%d\n", result);
    size_t limit = 0;
    OK(cudaThreadSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
    OK(cudaThreadGetLimit(&limit, cudaLimitPrintfFifoSize));
    std::printf("%d\n", limit >= 1 << 21);
    cudaFuncCache cache;
    OK(cudaThreadSetCacheConfig(cudaFuncCachePreferL1));
    OK(cudaThreadGetCacheConfig(&cache));
    cudaSharedMemConfig banks;
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeFourByte));
    OK(cudaDeviceGetSharedMemConfig(&banks));
    std::printf("%d\n", banks == cudaSharedMemBankSizeFourByte);
    OK(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    OK(cudaDeviceGetSharedMemConfig(&banks));
    std::printf("%d\n", banks == cudaSharedMemBankSizeFourByte);
    OK(cudaFuncSetSharedMemConfig((const void *)write, cudaSharedMemBankSizeDefault));
    double value = 1.5;
    OK(cudaSetDoubleForDevice(&value));
    OK(cudaSetDoubleForHost(&value));
    std::printf("%g\n", value);

    cudaArray_t array;
    cudaChannelFormatDesc bytes = cudaCreateChannelDesc<unsigned char>();
    char text[16] = "fifteen letters", back[16] = {};
    OK(cudaMallocArray(&array, &bytes, 16, 0));
    OK(cudaMemcpyToArrayAsync(array, 0, 0, text, 16, cudaMemcpyHostToDevice, nullptr));
    OK(cudaMemcpyFromArrayAsync(back, array, 0, 0, 16, cudaMemcpyDeviceToHost, nullptr));
    std::printf("%s\n", back);
    OK(cudaFreeArray(array));
    OK(cudaFree(out));
    OK(cudaThreadExit());
    std::printf("%d wrong\n", wrong);
}
