// Vectors and matrices of cuBLAS and cuBLASLt: pointer modes, streams, mixed types, epilogues, and what is refused.
// nvcc: -lcublas -lcublasLt
// only: 13-shared 13-static 12-shared
// stderr: cublasSgelsBatched is not supported
#include "blas.h"
#include <cstdio>

#define SAY(call) std::printf("%s: %s\n", #call, cublasGetStatusName(call))

__global__ void fill(float *data, float first)
{
    data[threadIdx.x] = first + threadIdx.x;
}

static void show(const float *from, int count)
{
    float to[16];
    cudaMemcpy(to, from, count * sizeof *to, cudaMemcpyDeviceToHost);
    for (int i = 0; i < count; ++i)
        std::printf(" %g", to[i]);
    std::printf("\n");
}

int main()
{
    float *x, *y, *matrix, *scalars;
    cudaMalloc(&x, 16 * sizeof *x);
    cudaMalloc(&y, 16 * sizeof *y);
    cudaMalloc(&matrix, 16 * sizeof *matrix);
    cudaMalloc(&scalars, 4 * sizeof *scalars);
    Handle handle = nullptr;
    SAY(cublasCreate_v2(&handle));
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    SAY(cublasSetStream_v2(handle, stream));

    // In the order of the stream; results of the host are waited for.
    fill<<<1, 8, 0, stream>>>(x, 1);
    fill<<<1, 8, 0, stream>>>(y, 0);
    float two = 2, half = 0.5, one = 1, zero = 0, dot = 0;
    SAY(cublasSaxpy_v2(handle, 8, &two, x, 1, y, 1));
    SAY(cublasSscal_v2(handle, 4, &half, y, 2));
    SAY(cublasSdot_v2(handle, 8, x, 1, y, -1, &dot));
    std::printf("dot %g\n", dot);
    show(y, 8);
    int64_t place = 0;
    SAY(cublasIsamax_v2_64(handle, 8, y, 1, &place));
    std::printf("largest %lld\n", (long long)place);

    // Scalars of the device.
    cudaMemcpy(scalars, &two, sizeof two, cudaMemcpyHostToDevice);
    SAY(cublasSetPointerMode_v2(handle, 1));
    SAY(cublasSscal_v2(handle, 8, scalars, x, 1));
    SAY(cublasSdot_v2(handle, 8, x, 1, x, 1, scalars + 1));
    cudaStreamSynchronize(stream);
    show(scalars, 2);
    SAY(cublasSetPointerMode_v2(handle, 0));

    // (2 4; 3 5) from numbers 2 apart, by columns; its product with itself transposed, and an equation.
    float numbers[8] = {2, -1, 3, -1, 4, -1, 5, -1};
    SAY(cublasSetVector(4, sizeof(float), numbers, 2, matrix, 1));
    SAY(cublasSgemm_v2(handle, 0, 1, 2, 2, 2, &one, matrix, 2, matrix, 2, &zero, y, 2));
    cudaStreamSynchronize(stream);
    show(y, 4);
    SAY(cublasStrsm_v2(handle, 0, 0, 0, 0, 2, 1, &one, matrix, 2, y, 2));
    float back[4];
    cudaStreamSynchronize(stream);
    SAY(cublasGetMatrix(2, 1, sizeof(float), y, 2, back, 2));
    std::printf("%g %g\n", back[0], back[1]);

    // Bytes to integers.
    signed char bytes[16] = {100, -100, 127, 1, 2, 3, 4, -128};
    int thousand = 1000, none = 0, sums[4];
    cudaMemcpy(x, bytes, sizeof bytes, cudaMemcpyHostToDevice);
    SAY(cublasGemmEx(handle, 1, 0, 2, 2, 4, &thousand, x, 3, 4, x, 3, 4, &none, y, 10, 2, 72, -1));
    cudaStreamSynchronize(stream);
    cudaMemcpy(sums, y, sizeof sums, cudaMemcpyDeviceToHost);
    std::printf("%d %d %d %d\n", sums[0], sums[1], sums[2], sums[3]);

    // A bias, and ReLU.
    Handle light = nullptr;
    void *product = nullptr, *layout = nullptr;
    float bias[2] = {-20, 1};
    int epilogue = 6;
    cudaMemcpy(x, bias, sizeof bias, cudaMemcpyHostToDevice);
    SAY(cublasLtCreate(&light));
    SAY(cublasLtMatmulDescCreate(&product, 68, 0));
    SAY(cublasLtMatmulDescSetAttribute(product, 7, &epilogue, sizeof epilogue));
    SAY(cublasLtMatmulDescSetAttribute(product, 8, &x, sizeof x));
    SAY(cublasLtMatrixLayoutCreate(&layout, 0, 2, 2, 2));
    SAY(cublasLtMatmul(light, product, &one, matrix, layout, matrix, layout, &zero, y, layout, y, layout, nullptr, nullptr, 0, stream));
    cudaStreamSynchronize(stream);
    show(y, 4);
    epilogue = 512;
    SAY(cublasLtMatmulDescSetAttribute(product, 7, &epilogue, sizeof epilogue));
    SAY(cublasLtMatmul(light, product, &one, matrix, layout, matrix, layout, &zero, y, layout, y, layout, nullptr, nullptr, 0, stream));
    SAY(cublasLtMatrixLayoutDestroy(layout));
    SAY(cublasLtMatmulDescDestroy(product));
    SAY(cublasLtDestroy(light));

    // What is refused.
    SAY(cublasCreate_v2(nullptr));
    SAY(cublasSaxpy_v2(nullptr, 8, &two, x, 1, y, 1));
    SAY(cublasSaxpy_v2(handle, 8, nullptr, x, 1, y, 1));
    SAY(cublasSaxpy_v2(handle, 0, &two, nullptr, 1, nullptr, 1));
    SAY(cublasSaxpy_v2(handle, 8, &two, nullptr, 1, y, 1));
    SAY(cublasSgemm_v2(handle, 0, 0, 2, 2, 2, &one, matrix, 1, matrix, 2, &zero, y, 2));
    SAY(cublasSgemm_v2(handle, 5, 0, 2, 2, 2, &one, matrix, 2, matrix, 2, &zero, y, 2));
    SAY(cublasSgemm_v2(handle, 0, 0, -1, 2, 2, &one, matrix, 2, matrix, 2, &zero, y, 2));
    SAY(cublasGemmEx(handle, 0, 0, 1, 1, 1, &one, x, 0, 1, x, 1, 1, &zero, y, 0, 1, 68, -1));
    SAY(cublasSetPointerMode_v2(handle, 7));
    SAY(cublasSgelsBatched(handle));
    SAY(cublasDestroy_v2(handle));
    SAY(cublasDestroy_v2(handle));
    cudaStreamDestroy(stream);
    cudaFree(x);
    cudaFree(y);
    cudaFree(matrix);
    cudaFree(scalars);
}
