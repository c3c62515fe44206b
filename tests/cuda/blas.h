// Of cublas_v2.h and cublasLt.h what the programs use.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

extern "C" {
typedef void *Handle;
int cublasCreate_v2(Handle *);
int cublasDestroy_v2(Handle);
int cublasSetStream_v2(Handle, cudaStream_t);
int cublasSetPointerMode_v2(Handle, int);
const char *cublasGetStatusName(int);
int cublasSetVector(int, int, const void *, int, void *, int);
int cublasGetMatrix(int, int, int, const void *, int, void *, int);
int cublasSaxpy_v2(Handle, int, const float *, const float *, int, float *, int);
int cublasSdot_v2(Handle, int, const float *, int, const float *, int, float *);
int cublasSscal_v2(Handle, int, const float *, float *, int);
int cublasDnrm2_v2(Handle, int, const double *, int, double *);
int cublasIsamax_v2_64(Handle, int64_t, const float *, int64_t, int64_t *);
int cublasSgemm_v2(Handle, int, int, int, int, int, const float *, const float *, int, const float *, int, const float *, float *, int);
int cublasStrsm_v2(Handle, int, int, int, int, int, int, const float *, const float *, int, float *, int);
int cublasGemmEx(Handle, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int, const void *, void *,
                 int, int, int, int);
int cublasSgelsBatched(Handle);
int cublasLtCreate(Handle *);
int cublasLtDestroy(Handle);
int cublasLtMatmulDescCreate(void **, int, int);
int cublasLtMatmulDescSetAttribute(void *, int, const void *, size_t);
int cublasLtMatmulDescDestroy(void *);
int cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t);
int cublasLtMatrixLayoutDestroy(void *);
int cublasLtMatmul(Handle, void *, const void *, const void *, void *, const void *, void *, const void *, const void *, void *,
                   void *, void *, const void *, void *, size_t, cudaStream_t);
}
