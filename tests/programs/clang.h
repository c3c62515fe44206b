// What clang needs to compile these programs without a CUDA toolkit: its own variables and builtins.
#pragma once
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define CLANG_INLINE static inline __attribute__((device, always_inline))

struct dim3 { unsigned x, y, z; };
struct uint3 { unsigned x, y, z; };
struct float3 { float x, y, z; };
#include <__clang_cuda_builtin_vars.h>

CLANG_INLINE int atomicAdd(int *p, int v) { return __nvvm_atom_add_gen_i(p, v); }
CLANG_INLINE unsigned atomicAdd(unsigned *p, unsigned v) { return __nvvm_atom_add_gen_i((int *)p, (int)v); }
CLANG_INLINE int atomicCAS(int *p, int c, int v) { return __nvvm_atom_cas_gen_i(p, c, v); }
CLANG_INLINE int atomicExch(int *p, int v) { return __nvvm_atom_xchg_gen_i(p, v); }
CLANG_INLINE void __threadfence() { __nvvm_membar_gl(); }
CLANG_INLINE unsigned __shfl_up_sync(unsigned m, unsigned v, unsigned d) { return __nvvm_shfl_sync_up_i32(m, (int)v, (int)d, 0); }
CLANG_INLINE int __shfl_sync(unsigned m, int v, int lane, int w = 32) { return __nvvm_shfl_sync_idx_i32(m, v, lane, (32 - w) << 8 | 31); }
CLANG_INLINE int __shfl_up_sync(unsigned m, int v, unsigned d, int w = 32) { return __nvvm_shfl_sync_up_i32(m, v, (int)d, (32 - w) << 8); }
CLANG_INLINE int __shfl_down_sync(unsigned m, int v, unsigned d, int w = 32) { return __nvvm_shfl_sync_down_i32(m, v, (int)d, (32 - w) << 8 | 31); }
CLANG_INLINE int __shfl_xor_sync(unsigned m, int v, int x, int w = 32) { return __nvvm_shfl_sync_bfly_i32(m, v, x, (32 - w) << 8 | 31); }
CLANG_INLINE long long __shfl_xor_sync(unsigned m, long long v, int x)
{
    unsigned low = __shfl_xor_sync(m, (int)v, x), high = __shfl_xor_sync(m, (int)(v >> 32), x);
    return (long long)((unsigned long long)high << 32 | low);
}
CLANG_INLINE unsigned __ballot_sync(unsigned m, int p) { return __nvvm_vote_ballot_sync(m, p); }
CLANG_INLINE int __any_sync(unsigned m, int p) { return __nvvm_vote_any_sync(m, p); }
CLANG_INLINE int __all_sync(unsigned m, int p) { return __nvvm_vote_all_sync(m, p); }
CLANG_INLINE unsigned __activemask() { unsigned v; asm volatile("activemask.b32 %0;" : "=r"(v)); return v; }
CLANG_INLINE void __syncwarp(unsigned m = 0xffffffffu) { asm volatile("bar.warp.sync %0;" :: "r"(m) : "memory"); }
CLANG_INLINE int __popc(unsigned v) { return __builtin_popcount(v); }
CLANG_INLINE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
CLANG_INLINE float fabsf(float a) { return __builtin_fabsf(a); }
CLANG_INLINE float fminf(float a, float b) { return __builtin_fminf(a, b); }
CLANG_INLINE double fabs(double a) { return __builtin_fabs(a); }
CLANG_INLINE double fmin(double a, double b) { return __nvvm_fmin_d(a, b); }
CLANG_INLINE double fmax(double a, double b) { return __nvvm_fmax_d(a, b); }
CLANG_INLINE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
CLANG_INLINE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return __nvvm_mulhi_ull(a, b); }
CLANG_INLINE long long __double_as_longlong(double v) { return __nvvm_bitcast_d2ll(v); }
CLANG_INLINE double __longlong_as_double(long long v) { return __nvvm_bitcast_ll2d(v); }
CLANG_INLINE int __double2hiint(double v) { return __nvvm_d2i_hi(v); }
CLANG_INLINE int __double2loint(double v) { return __nvvm_d2i_lo(v); }

// The compiler turns calls of this into vprintf.
extern "C" __device__ int printf(const char *, ...);
