#include <cstdio>
struct P { int a; float b; };
struct Q { P p; int v[4]; };
template<typename T> __device__ __forceinline__ T twice(T x) { T y = x + x; return y; }
__device__ int fact(int n) { if (n <= 1) return 1; int r = n * fact(n - 1); return r; }
__device__ int gcount[4] = {1,2,3,4};
__global__ void work(float *out, int n) {
    __shared__ float tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    P p; p.a = i; p.b = i * 0.5f;
    Q q; q.p = p; for (int k = 0; k < 4; k++) q.v[k] = k * i;
    tile[threadIdx.x] = p.b;
    __syncthreads();
    float t = twice(tile[threadIdx.x]);
    int f = fact(3);
    if (i < n) out[i] = t + f + q.v[2] + gcount[1];
}
int main() { float *d; cudaMalloc(&d, 400); work<<<2, 64>>>(d, 100); cudaDeviceSynchronize(); float h[100]; cudaMemcpy(h, d, 400, cudaMemcpyDeviceToHost); printf("%f\n", h[17]); return 3; }
