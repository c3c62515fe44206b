// Numbers of cuRAND's host API: all generators and distributions, streams, memory of the host, and what is refused. That they are those of the device
// functions is what tests/libraries/rand.cu compares.
// nvcc: -lcurand
// only: 13-shared 13-static 12-shared
// stderr: curandGenerateBinomial is not supported
#include "rand.h"
#include <cstdio>

#define SAY(call) std::printf("%s: %d\n", #call, call)

__global__ void twice(float *data)
{
    data[threadIdx.x] *= 2;
}

static const int COUNT = 8;
static void *memory;

template <typename T>
static void show(const char *format)
{
    T numbers[COUNT];
    cudaMemcpy(numbers, memory, sizeof numbers, cudaMemcpyDeviceToHost);
    for (T number : numbers)
        std::printf(format, number);
    std::printf("\n");
}

int main()
{
    cudaMalloc(&memory, COUNT * sizeof(double));
    auto *words = (unsigned *)memory;
    auto *singles = (float *)memory;
    auto *doubles = (double *)memory;
    for (int type : {100, 121, 141, 142, 161, 200, 202}) {
        Generator generator;
        SAY(curandCreateGenerator(&generator, type));
        if (type < 200)
            SAY(curandSetPseudoRandomGeneratorSeed(generator, 1234));
        curandGenerate(generator, words, COUNT);
        show<unsigned>(" %08x");
        curandGenerateUniform(generator, singles, COUNT);
        show<float>(" %.7g");
        curandGenerateUniformDouble(generator, doubles, COUNT);
        show<double>(" %.15g");
        curandGenerateNormal(generator, singles, COUNT, 1, 2);
        show<float>(" %.4f");
        curandGenerateNormalDouble(generator, doubles, COUNT, 1, 2);
        show<double>(" %.12f");
        curandGenerateLogNormal(generator, singles, COUNT, 0, 1);
        show<float>(" %.4f");
        curandGenerateLogNormalDouble(generator, doubles, COUNT, 0, 1);
        show<double>(" %.12f");
        curandGeneratePoisson(generator, words, COUNT, 12.5);
        show<unsigned>(" %u");
        SAY(curandDestroyGenerator(generator));
    }

    // Two dimensions of 64 bits.
    Generator wide;
    SAY(curandCreateGenerator(&wide, 203));
    SAY(curandSetQuasiRandomGeneratorDimensions(wide, 2));
    SAY(curandGenerateLongLong(wide, (unsigned long long *)memory, COUNT));
    show<unsigned long long>(" %016llx");
    SAY(curandGenerateLongLong(wide, (unsigned long long *)memory, COUNT - 1));
    SAY(curandGenerate(wide, words, COUNT));

    // In the order of a stream; the offset is where a call begins that has no others before it.
    Generator generator;
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    SAY(curandCreateGenerator(&generator, 101));
    SAY(curandSetStream(generator, stream));
    SAY(curandSetGeneratorOrdering(generator, 103));
    SAY(curandGenerateSeeds(generator));
    SAY(curandGenerateUniform(generator, singles, COUNT));
    twice<<<1, COUNT, 0, stream>>>(singles);
    cudaStreamSynchronize(stream);
    show<float>(" %.7g");
    SAY(curandSetGeneratorOffset(generator, 4));
    SAY(curandGenerateUniform(generator, singles, 4));
    cudaStreamSynchronize(stream);
    show<float>(" %.7g");

    // The same in memory of the host.
    Generator host;
    float numbers[4];
    SAY(curandCreateGeneratorHost(&host, 101));
    SAY(curandGenerateUniform(host, numbers, 4));
    std::printf("%.7g %.7g %.7g %.7g\n", numbers[0], numbers[1], numbers[2], numbers[3]);

    // Tables.
    unsigned(*vectors)[32], *constants;
    unsigned long long(*wide_vectors)[64], *wide_constants;
    void *table;
    SAY(curandGetDirectionVectors32(&vectors, 101));
    std::printf("%08x %08x %08x\n", vectors[0][1], vectors[1][1], vectors[19999][31]);
    SAY(curandGetDirectionVectors64(&wide_vectors, 103));
    std::printf("%016llx\n", wide_vectors[19999][63]);
    SAY(curandGetScrambleConstants32(&constants));
    SAY(curandGetScrambleConstants64(&wide_constants));
    std::printf("%d\n", wide_constants[19999] >> 32 == constants[19999]);
    SAY(curandGetDirectionVectors32(&vectors, 103));
    SAY(curandCreatePoissonDistribution(10, &table));
    SAY(curandDestroyDistribution(table));
    SAY(curandDestroyDistribution(table));
    SAY(curandCreatePoissonDistribution(0, &table));
    SAY(curandCreatePoissonDistribution(10, nullptr));

    // What is refused.
    int number;
    SAY(curandGetVersion(&number));
    SAY(curandGetProperty(0, &number));
    SAY(curandGetProperty(3, &number));
    SAY(curandCreateGenerator(&generator, 0));
    SAY(curandCreateGenerator(nullptr, 101));
    SAY(curandGenerate(nullptr, words, COUNT));
    SAY(curandGenerate(generator, nullptr, COUNT));
    SAY(curandGenerate(generator, words, 0));
    SAY(curandGenerateNormal(generator, singles, 7, 0, 1));
    SAY(curandGenerateLongLong(generator, (unsigned long long *)memory, 1));
    SAY(curandGeneratePoisson(generator, words, COUNT, -1));
    SAY(curandGeneratePoisson(generator, words, COUNT, 400001));
    SAY(curandSetGeneratorOrdering(generator, 201));
    SAY(curandSetQuasiRandomGeneratorDimensions(generator, 2));
    SAY(curandSetQuasiRandomGeneratorDimensions(wide, 20001));
    SAY(curandSetPseudoRandomGeneratorSeed(wide, 1));
    SAY(curandGenerateUniform(host, numbers, (size_t)1 << 60));
    SAY(curandGenerateBinomial(generator, words, COUNT, 5, 0.5));
    SAY(curandDestroyGenerator(host));
    SAY(curandDestroyGenerator(wide));
    SAY(curandDestroyGenerator(generator));
    SAY(curandDestroyGenerator(generator));
    cudaStreamDestroy(stream);
    cudaFree(memory);
}
