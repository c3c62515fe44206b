// Of cufft.h and cufftXt.h what the programs use.
#pragma once
#include <cstddef>
#include <cuComplex.h>
#include <cuda_runtime.h>

extern "C" {
typedef int cufftHandle;
int cufftCreate(cufftHandle *);
int cufftDestroy(cufftHandle);
int cufftPlan1d(cufftHandle *, int, int, int);
int cufftPlan2d(cufftHandle *, int, int, int);
int cufftPlan3d(cufftHandle *, int, int, int, int);
int cufftPlanMany(cufftHandle *, int, int *, int *, int, int, int *, int, int, int, int);
int cufftMakePlan1d(cufftHandle, int, int, int, size_t *);
int cufftXtMakePlanMany(cufftHandle, int, long long *, long long *, long long, long long, int, long long *, long long,
                        long long, int, long long, size_t *, int);
int cufftEstimate1d(int, int, int, size_t *);
int cufftGetSize(cufftHandle, size_t *);
int cufftSetAutoAllocation(cufftHandle, int);
int cufftSetWorkArea(cufftHandle, void *);
int cufftSetStream(cufftHandle, cudaStream_t);
int cufftExecC2C(cufftHandle, void *, void *, int);
int cufftExecR2C(cufftHandle, void *, void *);
int cufftExecC2R(cufftHandle, void *, void *);
int cufftExecZ2Z(cufftHandle, void *, void *, int);
int cufftExecD2Z(cufftHandle, void *, void *);
int cufftExecZ2D(cufftHandle, void *, void *);
int cufftXtExec(cufftHandle, void *, void *, int);
int cufftXtSetCallback(cufftHandle, void **, int, void **);
int cufftGetVersion(int *);
int cufftGetProperty(int, int *);
}

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c };
enum { FORWARD = -1, INVERSE = 1 };
