// Transforms of cuFFT: kinds, layouts, streams, work areas, and what is refused.
// nvcc: -lcufft
// only: 13-shared 13-static 12-shared
// stderr: cufftXtSetCallback is not supported
#include "fft.h"
#include <cmath>
#include <cstdio>
#include <vector>

#define SAY(call) std::printf("%s: %d\n", #call, (int)(call))

// A wave of two frequencies, and what a transform makes of it.
__global__ void wave(cuFloatComplex *data, int n, int a, int b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float x = 2 * 3.14159265358979f * a * i / n, y = 2 * 3.14159265358979f * b * i / n;
        data[i] = make_cuFloatComplex(cosf(x) + 2 * cosf(y), sinf(x) + 2 * sinf(y));
    }
}

// A number of which the sign of a zero is not seen, nor how far it is from one.
static double near(double value) { return std::fabs(value) < 1e-5 ? 0 : value; }

template <class T> std::vector<T> read(const T *from, size_t count)
{
    std::vector<T> to(count);
    cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
}

static void peaks(const cuFloatComplex *data, int n)
{
    std::vector<cuFloatComplex> all = read(data, n);
    for (int i = 0; i < n; ++i)
        if (std::hypot(all[i].x, all[i].y) > 1)
            std::printf(" %d: %.2f", i, std::hypot(all[i].x, all[i].y) / n);
    std::printf("\n");
}

int main()
{
    const int n = 360;
    cuFloatComplex *data, *result;
    cudaMalloc(&data, n * sizeof *data);
    cudaMalloc(&result, n * sizeof *data);

    // In the order of a stream that does not wait for others: after the kernel, before the copy.
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cufftHandle plan = 0;
    SAY(cufftPlan1d(&plan, n, C2C, 1));
    SAY(cufftSetStream(plan, stream));
    wave<<<3, 128, 0, stream>>>(data, n, 7, 100);
    SAY(cufftExecC2C(plan, data, result, FORWARD));
    cudaStreamSynchronize(stream);
    peaks(result, n);
    SAY(cufftExecC2C(plan, result, result, INVERSE));
    cudaStreamSynchronize(stream);
    std::vector<cuFloatComplex> before = read(data, n), after = read(result, n);
    float worst = 0;
    for (int i = 0; i < n; ++i)
        worst = std::fmax(worst, std::fabs(after[i].x / n - before[i].x));
    std::printf("there and back: %d\n", worst < 1e-5f);
    // Captured, and done by a graph whenever that is launched.
    cudaGraph_t graph;
    cudaGraphExec_t launched;
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    SAY(cufftExecC2C(plan, data, result, FORWARD));
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&launched, graph, 0);
    for (int i = 0; i < 2; ++i) {
        cudaMemsetAsync(result, 0, n * sizeof *result, stream);
        cudaGraphLaunch(launched, stream);
        cudaStreamSynchronize(stream);
        peaks(result, n);
    }
    SAY(cufftDestroy(plan));
    SAY(cufftDestroy(plan));
    SAY(cufftExecC2C(plan, data, result, FORWARD));

    // Real numbers in place, two rows of six with room for eight: rows of 1, and 1, -1, 1, ...
    double *real;
    cudaMalloc(&real, 16 * sizeof *real);
    std::vector<double> rows = {1, 1, 1, 1, 1, 1, 9, 9, 1, -1, 1, -1, 1, -1, 9, 9};
    cudaMemcpy(real, rows.data(), 16 * sizeof *real, cudaMemcpyHostToDevice);
    SAY(cufftPlan1d(&plan, 6, D2Z, 2));
    SAY(cufftExecD2Z(plan, real, real));
    for (double value : read(real, 16))
        std::printf(" %.1f", near(value));
    std::printf("\n");
    SAY(cufftExecR2C(plan, real, real));
    cufftDestroy(plan);
    SAY(cufftPlan1d(&plan, 6, Z2D, 2));
    SAY(cufftExecZ2D(plan, real, real));
    for (double value : read(real, 16))
        std::printf(" %.0f", near(value / 6));
    std::printf("\n");
    cufftDestroy(plan);

    // Columns of a matrix: each is a transform, whose elements are a row apart.
    int size = 4, embed = 4;
    std::vector<cuFloatComplex> matrix(12);
    for (int i = 0; i < 12; ++i)
        matrix[i] = make_cuFloatComplex(i % 3 == 1 ? i / 3 : 1, 0);
    cudaMemcpy(data, matrix.data(), 12 * sizeof *data, cudaMemcpyHostToDevice);
    SAY(cufftPlanMany(&plan, 1, &size, &embed, 3, 1, &embed, 1, 4, C2C, 3));
    SAY(cufftExecC2C(plan, data, result, FORWARD));
    for (cuFloatComplex value : read(result, 12))
        std::printf(" (%.1f %.1f)", near(value.x), near(value.y));
    std::printf("\n");
    cufftDestroy(plan);

    // A transform in three dimensions of a point is 1 everywhere.
    std::vector<cuDoubleComplex> point(60, make_cuDoubleComplex(0, 0));
    point[0].x = 1;
    cuDoubleComplex *box;
    cudaMalloc(&box, 60 * sizeof *box);
    cudaMemcpy(box, point.data(), 60 * sizeof *box, cudaMemcpyHostToDevice);
    SAY(cufftPlan3d(&plan, 3, 4, 5, Z2Z));
    SAY(cufftExecZ2Z(plan, box, box, FORWARD));
    double sum = 0;
    for (cuDoubleComplex value : read(box, 60))
        sum += std::fabs(value.x - 1) + std::fabs(value.y);
    std::printf("a point: %d\n", sum < 1e-12);
    cufftDestroy(plan);

    // A work area of the program's.
    size_t work = 0, estimate = 0;
    SAY(cufftCreate(&plan));
    SAY(cufftSetAutoAllocation(plan, 0));
    SAY(cufftExecC2C(plan, data, data, FORWARD));
    SAY(cufftMakePlan1d(plan, 64, C2C, 1, &work));
    SAY(cufftMakePlan1d(plan, 64, C2C, 1, &work));
    SAY(cufftEstimate1d(64, C2C, 1, &estimate));
    std::printf("%d\n", work > 0 && estimate >= work);
    SAY(cufftExecC2C(plan, data, data, FORWARD));
    SAY(cufftSetWorkArea(plan, result));
    SAY(cufftExecC2C(plan, data, data, FORWARD));
    cufftDestroy(plan);

    // Half precision.
    long long eight = 8;
    unsigned short half[16] = {0x3c00}, made[16];
    cudaMemcpy(data, half, sizeof half, cudaMemcpyHostToDevice);
    cufftCreate(&plan);
    SAY(cufftXtMakePlanMany(plan, 1, &eight, nullptr, 1, 0, 6, nullptr, 1, 0, 6, 1, &work, 6));
    SAY(cufftXtExec(plan, data, data, FORWARD));
    cudaMemcpy(made, data, sizeof made, cudaMemcpyDeviceToHost);
    for (unsigned short part : made)
        std::printf(" %x", part);
    std::printf("\n");
    SAY(cufftXtSetCallback(plan, nullptr, 0, nullptr));
    cufftDestroy(plan);

    // What is refused.
    SAY(cufftPlan1d(nullptr, 8, C2C, 1));
    SAY(cufftPlan1d(&plan, 0, C2C, 1));
    SAY(cufftPlan1d(&plan, 8, C2C, 0));
    SAY(cufftPlan1d(&plan, 8, 0x30, 1));
    SAY(cufftPlanMany(&plan, 4, &size, nullptr, 1, 0, nullptr, 1, 0, C2C, 1));
    SAY(cufftPlanMany(&plan, 1, nullptr, nullptr, 1, 0, nullptr, 1, 0, C2C, 1));
    SAY(cufftPlan1d(&plan, 8, C2C, 1));
    SAY(cufftExecC2C(plan, nullptr, data, FORWARD));
    SAY(cufftExecC2C(plan, data, data, 0));
    SAY(cufftSetStream(plan, (cudaStream_t)7777));
    SAY(cufftGetVersion(nullptr));
    int major = 0;
    SAY(cufftGetProperty(0, &major));
    SAY(cufftGetProperty(9, &major));
    std::printf("version %d\n", major);

    // Memory that is too small ends the context, as an access of a kernel to it does.
    cufftHandle large = 0;
    SAY(cufftPlan1d(&large, 1 << 16, C2C, 1));
    int code = cufftExecC2C(large, data, data, FORWARD);
    cudaError_t then = cudaDeviceSynchronize();
    std::printf("%d %s\n", code == 0 || code == 6, cudaGetErrorName(then));
}
