// Made with nvcc 13.5:
//   nvcc -ptx -arch=sm_75 -O3 image.cu -o image-O3.ptx
//   nvcc -ptx -arch=sm_75 -Xcicc -O0 image.cu -o image-O0.ptx
#include <cstdio>

struct Params {
    int width, height;
    float scale[3];
    unsigned char flags;
};

__constant__ float weights[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
__device__ int counter = 7;
__device__ const int *pointer = &counter;
__managed__ unsigned long long total;

__device__ __noinline__ float row(cudaTextureObject_t image, float x, float y) {
    float sum = 0.0f;
    for (int i = -2; i <= 2; i++)
        sum += weights[i + 2] * tex2D<float4>(image, x + i, y).x;
    return sum;
}

__device__ float twice(float x) { return 2 * x; }
__device__ float half_of(float x) { return x / 2; }
__device__ float (*table[2])(float) = {twice, half_of};

extern "C" __global__ void __launch_bounds__(256, 2)
blur(cudaTextureObject_t image, cudaSurfaceObject_t out, Params p) {
    extern __shared__ float dynamic[];
    __shared__ float tile[16][17];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    tile[threadIdx.y & 15][threadIdx.x & 15] = row(image, x + 0.5f, y + 0.5f);
    dynamic[threadIdx.x] = p.scale[x % 3];
    __syncthreads();
    if (x >= p.width || y >= p.height) return;
    float v = tile[threadIdx.y & 15][threadIdx.x & 15] * dynamic[threadIdx.x];
    v = table[p.flags & 1](v);
    switch (p.flags) {
    case 0: v = sqrtf(v); break;
    case 1: v = __sinf(v); break;
    case 2: v = v * 3; break;
    case 3: v = v + *pointer; break;
    case 4: v = 1 / v; break;
    case 5: printf("%d %d %f\n", x, y, v); break;
    }
    atomicAdd(&total, (unsigned long long)__popc(__ballot_sync(0xffffffff, v > 0)));
    surf2Dwrite(make_float4(v, v, v, 1), out, x * 16, y);
}

__global__ void layers(cudaTextureObject_t a, cudaTextureObject_t c, float *out, double d) {
    bool resident = false;
    float4 v = tex2DLayered<float4>(a, 0.5f, 0.25f, 3);
    float4 w = tex2DGrad<float4>(c, 0.5f, 0.25f, make_float2(0.1f, 0), make_float2(0, 0.1f));
    float4 g = tex2Dgather<float4>(c, 0.5f, 0.25f, 2);
    float4 s = tex2D<float4>(c, 0.5f, 0.25f, &resident);
    out[threadIdx.x] = v.x + w.y + g.z + (resident ? s.w : -1.0f) + (float)(d * 1.5);
}
