// Of curand.h what the program uses.
#pragma once
#include <cstddef>
#include <cuda_runtime.h>

extern "C" {
typedef void *Generator;
int curandCreateGenerator(Generator *, int);
int curandCreateGeneratorHost(Generator *, int);
int curandDestroyGenerator(Generator);
int curandGetVersion(int *);
int curandGetProperty(int, int *);
int curandSetStream(Generator, cudaStream_t);
int curandSetPseudoRandomGeneratorSeed(Generator, unsigned long long);
int curandSetGeneratorOffset(Generator, unsigned long long);
int curandSetGeneratorOrdering(Generator, int);
int curandSetQuasiRandomGeneratorDimensions(Generator, unsigned);
int curandGenerateSeeds(Generator);
int curandGenerate(Generator, unsigned *, size_t);
int curandGenerateLongLong(Generator, unsigned long long *, size_t);
int curandGenerateUniform(Generator, float *, size_t);
int curandGenerateUniformDouble(Generator, double *, size_t);
int curandGenerateNormal(Generator, float *, size_t, float, float);
int curandGenerateNormalDouble(Generator, double *, size_t, double, double);
int curandGenerateLogNormal(Generator, float *, size_t, float, float);
int curandGenerateLogNormalDouble(Generator, double *, size_t, double, double);
int curandGeneratePoisson(Generator, unsigned *, size_t, double);
int curandGenerateBinomial(Generator, unsigned *, size_t, unsigned, double);
int curandCreatePoissonDistribution(double, void **);
int curandDestroyDistribution(void *);
int curandGetDirectionVectors32(unsigned (**)[32], int);
int curandGetDirectionVectors64(unsigned long long (**)[64], int);
int curandGetScrambleConstants32(unsigned **);
int curandGetScrambleConstants64(unsigned long long **);
}
