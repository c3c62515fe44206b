// Source of sample.ptx: what nvcc writes for algorithms of CUB and Thrust and for a few kernels of
// texunit's own, among them textures and surfaces.
#include <cstdint>
#include <cub/cub.cuh>
#include <thrust/device_ptr.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

template <class K> void sorts(void *t, size_t &n, K *in, K *out, int *v, int *w, int m) {
    cub::DeviceRadixSort::SortPairs(t, n, in, out, v, w, m);
    cub::DeviceRadixSort::SortKeysDescending(t, n, in, out, m);
    cub::DeviceSegmentedSort::SortKeys(t, n, in, out, m, 16, v, v + 1);
}
template <class T> void folds(void *t, size_t &n, T *in, T *out, int *count, int m) {
    cub::DeviceReduce::Sum(t, n, in, out, m);
    cub::DeviceReduce::ArgMin(t, n, in, out, count, m);
    cub::DeviceScan::InclusiveSum(t, n, in, out, m);
    cub::DeviceSelect::Unique(t, n, in, out, count, m);
    cub::DeviceRunLengthEncode::Encode(t, n, in, out, count, count + 1, m);
}
template void sorts<uint32_t>(void *, size_t &, uint32_t *, uint32_t *, int *, int *, int);
template void folds<int>(void *, size_t &, int *, int *, int *, int);

void merge(int *keys, float *values, int n) {
    thrust::device_ptr<int> k(keys);
    thrust::device_ptr<float> v(values);
    thrust::stable_sort_by_key(k, k + n, v, [] __device__(int a, int b) { return a % 10 < b % 10; });
}

template <int RADIUS>
__global__ void blur(cudaTextureObject_t picture, cudaSurfaceObject_t out, int width, int height) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
    for (int j = -RADIUS; j <= RADIUS; ++j)
#pragma unroll
        for (int i = -RADIUS; i <= RADIUS; ++i) {
            const float4 c = tex2D<float4>(picture, x + i + 0.5f, y + j + 0.5f);
            const float w = __expf(-(i * i + j * j) / (2.0f * RADIUS * RADIUS));
            sum.x += w * c.x, sum.y += w * c.y, sum.z += w * c.z, sum.w += w * c.w;
        }
    surf2Dwrite(sum, out, x * 16, y, cudaBoundaryModeTrap);
}
template __global__ void blur<1>(cudaTextureObject_t, cudaSurfaceObject_t, int, int);
template __global__ void blur<4>(cudaTextureObject_t, cudaSurfaceObject_t, int, int);

__global__ void march(cudaTextureObject_t volume, cudaTextureObject_t colours, float4 *out, float step) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    float3 p = make_float3(x * step, x * x * step, 0.25f);
    float4 c = make_float4(0, 0, 0, 0);
    for (int i = 0; i < 256 && c.w < 0.95f; ++i) {
        const float d = tex3DLod<float>(volume, p.x, p.y, p.z, i * 0.01f);
        const float4 s = tex1D<float4>(colours, d);
        c.x += s.x * s.w, c.y += s.y * s.w, c.z += s.z * s.w, c.w += (1 - c.w) * s.w;
        p.x += step, p.y += step * d, p.z = p.z * 0.5f + d * d;
    }
    out[x] = c;
}

template <class T, int N> __global__ void multiply(const T *a, const T *b, T *c, int n) {
    __shared__ T s[N][N + 1], t[N][N + 1];
    T sum[4] = {};
    for (int k = 0; k < n; k += N) {
        s[threadIdx.y][threadIdx.x] = a[(blockIdx.y * N + threadIdx.y) * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + blockIdx.x * N + threadIdx.x];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < N; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) sum[j] += s[(threadIdx.y + j) % N][i] * t[i][threadIdx.x];
        __syncthreads();
    }
    for (int j = 0; j < 4; ++j) c[(blockIdx.y * N + threadIdx.y + j) * n + threadIdx.x] = sum[j];
}
template __global__ void multiply<float, 32>(const float *, const float *, float *, int);
template __global__ void multiply<double, 16>(const double *, const double *, double *, int);
