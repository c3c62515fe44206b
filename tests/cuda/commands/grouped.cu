// A program with one missing barrier and one bound that is too large, whose loops the compiler unrolls: few findings, not
// one for each copy of an instruction.
#include <cstdio>
#include <cuda_runtime.h>

constexpr int TILE = 16, RADIUS = 3, STEPS = 4;

__device__ float weight(int i) {
    return 1.f / (1 + i * i);
}

// Sums of rows, columns and diagonals of a tile, step by step.
__global__ void stencil(const float *in, float *out, int width, int valid) {
    __shared__ float tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    float sum = 0;
#pragma unroll
    for (int step = 0; step < STEPS; step++) {
        for (int dy = ty; dy < TILE + 2 * RADIUS; dy += TILE)
            for (int dx = tx; dx < TILE + 2 * RADIUS; dx += TILE) {
                int sx = min(max(x - tx + dx - RADIUS + step, 0), width - 1);
                int sy = min(max(y - ty + dy - RADIUS, 0), width - 1);
                tile[dy][dx] = in[sy * width + sx];
            }
        __syncthreads();
#pragma unroll
        for (int i = -RADIUS; i <= RADIUS; i++) {
            sum += weight(i) * tile[ty + RADIUS][tx + RADIUS + i];
            sum += weight(i) * tile[ty + RADIUS + i][tx + RADIUS];
            sum += weight(i) * tile[ty + RADIUS + i][tx + RADIUS + i];
        }
        // __syncthreads() is missing
    }
    out[y * width + x] = sum;
}

// The mean of four values beside each other, of which the last ones were never written.
__global__ void means(const float *in, float *out, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 4; k++) sum += in[i + k] * 0.25f;
    out[i] = sum;
}

static float *allocate(size_t count) {
    float *p = nullptr;
    if (cudaMalloc(&p, count * sizeof(float)) != cudaSuccess) printf("no memory\n");
    return p;
}

int main() {
    const int width = 64, count = width * width;
    static float host[count], result[count];
    for (int i = 0; i < count; i++) host[i] = i % 13;
    float *in = allocate(count), *out = allocate(count), *other = allocate(count + 4);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    dim3 grid(width / TILE, width / TILE), block(TILE, TILE);
    for (int frame = 0; frame < 3; frame++) stencil<<<grid, block>>>(in, out, width, count);
    cudaMemcpy(other, out, sizeof host, cudaMemcpyDeviceToDevice);
    means<<<count / 256, 256>>>(other, out, count);
    cudaMemcpy(result, out, sizeof result, cudaMemcpyDeviceToHost);
    printf("%d\n", result[0] > 0);
    cudaFree(in);
    cudaFree(out);
    return 0;
}
