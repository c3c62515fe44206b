// A transform that races with kernels of another stream, works on memory that nobody has written, and is never ended.
#include "../fft.h"
#include <cstring>

__global__ void fill(cuFloatComplex *data) { data[threadIdx.x] = make_cuFloatComplex(1, threadIdx.x); } // 5

int main(int argc, char **argv)
{
    const int n = 64;
    const bool waits = argc > 1 && !std::strcmp(argv[1], "waits");
    cuFloatComplex *data, *result;
    cudaStream_t stream;
    cudaMalloc(&data, n * sizeof *data);
    cudaMalloc(&result, n * sizeof *result);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cufftHandle plan, other;
    cufftPlan1d(&plan, n, C2C, 1);
    if (!waits)
        cufftPlan1d(&other, n, C2C, 1); // 19
    fill<<<1, n, 0, stream>>>(data);
    if (waits)
        cudaStreamSynchronize(stream);
    cufftExecC2C(plan, data, data, FORWARD); // right[init-library]: the kernel has written it
    if (!waits)
        cufftExecC2C(plan, result, data, FORWARD); // finding[init-library]: cufftExecC2C reads 512 bytes that were never written
    if (waits)
        fill<<<1, n, 0, stream>>>(result);
    cufftDestroy(plan);
    cudaStreamDestroy(stream);
    cudaFree(data);
    cudaFree(result);
}
