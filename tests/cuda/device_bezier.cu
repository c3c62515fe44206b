// nvcc: -rdc=true -lcudadevrt
// Lines that are tessellated as finely as they are curved: each thread allocates on the device for its line and launches a grid for
// its points; a second kernel frees.
#include <cstdio>
#include "checks.h"

struct Line { float2 control[3]; float2 *points; int n; };

__global__ void points_of(int index, Line *lines, int n)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= n) return;
    float u = (float)i / (n - 1), v = 1 - u;
    const float2 *c = lines[index].control;
    float b[3] = {v * v, 2 * u * v, u * u};
    lines[index].points[i] = make_float2(b[0] * c[0].x + b[1] * c[1].x + b[2] * c[2].x, b[0] * c[0].y + b[1] * c[1].y + b[2] * c[2].y);
}

__global__ void tessellate(Line *lines, int count)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i >= count) return;
    float2 *c = lines[i].control;
    float dx = c[1].x - (c[0].x + c[2].x) / 2, dy = c[1].y - (c[0].y + c[2].y) / 2;
    float length = sqrtf((c[2].x - c[0].x) * (c[2].x - c[0].x) + (c[2].y - c[0].y) * (c[2].y - c[0].y));
    int n = min(max((int)(sqrtf(dx * dx + dy * dy) / length * 16), 4), 32);
    lines[i].n = n;
    cudaMalloc((void **)&lines[i].points, n * sizeof(float2));
    points_of<<<(n + 31) / 32, 32>>>(i, lines, n);
}

__global__ void give_back(Line *lines, int count)
{
    int i = threadIdx.x + blockDim.x * blockIdx.x;
    if (i < count) cudaFree(lines[i].points);
}

__global__ void gather(const Line *lines, float2 *out)
{
    if (threadIdx.x < lines[blockIdx.x].n) out[32 * blockIdx.x + threadIdx.x] = lines[blockIdx.x].points[threadIdx.x];
}

int main()
{
    const int N = 256;
    static Line lines[N];
    static float2 points[32 * N];
    float2 last = make_float2(0, 0);
    for (int i = 0; i < N; i++) {
        lines[i].control[0] = last;
        lines[i].control[1] = make_float2(i * 37 % 101 / 100.f, i * 53 % 97 / 96.f);
        last = lines[i].control[2] = make_float2(i * 71 % 89 / 88.f, (i * 29 + 1) % 83 / 82.f);
    }
    Line *device;
    float2 *out;
    OK(cudaMalloc(&device, sizeof lines));
    OK(cudaMalloc(&out, sizeof points));
    OK(cudaMemset(out, 0, sizeof points));
    OK(cudaMemcpy(device, lines, sizeof lines, cudaMemcpyHostToDevice));
    tessellate<<<N / 64, 64>>>(device, N);
    gather<<<N, 32>>>(device, out);
    give_back<<<N / 64, 64>>>(device, N);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(lines, device, sizeof lines, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy(points, out, sizeof points, cudaMemcpyDeviceToHost));
    int few = 0, many = 0, bad = 0;
    for (int i = 0; i < N; i++) {
        const float2 *p = points + 32 * i, *c = lines[i].control;
        int n = lines[i].n;
        few += n == 4, many += n > 4;
        bad += p[0].x != c[0].x || p[0].y != c[0].y || p[n - 1].x != c[2].x || p[n - 1].y != c[2].y;
    }
    OK(cudaFree(device)), OK(cudaFree(out));
    std::printf("%d %d %d %d\n", few > 0, many > 0, bad, wrong);
}
