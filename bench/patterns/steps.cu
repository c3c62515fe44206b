// Time steps: hundreds of launches of a few CTAs each, in which a thread does little.

#include "rounds.cuh"

constexpr int N = 96, STEPS = 200;

__global__ void step(const float *in, float *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) return;
    float sum = 0;
    for (int k = -1; k <= 1; k++) sum += in[min(max(y + k, 0), n - 1) * n + x] + in[y * n + min(max(x + k, 0), n - 1)];
    out[y * n + x] = sum / 6;
}

int main(int argc, char **argv)
{
    auto pixels = picture(N, N);
    float *a, *b;
    MUST(cudaMalloc(&a, N * N * 4));
    MUST(cudaMalloc(&b, N * N * 4));
    int ended = rounds(argc, argv, [&] {
        MUST(cudaMemcpy(a, pixels.data(), N * N * 4, cudaMemcpyHostToDevice));
        for (int i = 0; i < STEPS; i++) step<<<dim3(N / 32, N / 8), dim3(32, 8)>>>(i % 2 ? b : a, i % 2 ? a : b, N);
        return sum_of(a, N * N);
    });
    MUST(cudaFree(a));
    MUST(cudaFree(b));
    return ended;
}
