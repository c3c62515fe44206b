// A tiled matrix product in f32, one fma after the other, so that the order of the roundings is fixed.

constexpr int T = 8;

extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[T][T], bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
    float sum = 0.0f;
    for (int k = 0; k < n; k += T) {
        as[ty][tx] = y < n && k + tx < n ? a[y * n + k + tx] : 0.0f;
        bs[ty][tx] = k + ty < n && x < n ? b[(k + ty) * n + x] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; ++i)
            sum = fmaf(as[ty][i], bs[i][tx], sum);
        __syncthreads();
    }
    if (x < n && y < n)
        c[y * n + x] = sum;
}
