// Blurred and halved pictures and their extremes, as CudaSift finds features: tiles of shared memory with a halo, short unrolled loops,
// rows with a pitch, few atomics, in dozens of small launches a round.

#include "rounds.cuh"

constexpr int REACH = 4, TILE = 128, LEVELS = 5;
__constant__ float weights[LEVELS][REACH + 1];

__global__ void blur(const float *in, float *out, int w, int h, int pitch, int level)
{
    __shared__ float rows[TILE + 2 * REACH];
    int t = threadIdx.x, x = blockIdx.x * TILE + t - REACH, y = blockIdx.y;
    int column = min(max(x, 0), w - 1);
    const float *at = in + column;
    float sum = weights[level][0] * at[y * pitch];
#pragma unroll
    for (int k = 1; k <= REACH; k++)
        sum += weights[level][k] * (at[max(y - k, 0) * pitch] + at[min(y + k, h - 1) * pitch]);
    rows[t] = sum;
    __syncthreads();
    if (t < REACH || t >= TILE + REACH || x >= w) return;
    sum = weights[level][0] * rows[t];
#pragma unroll
    for (int k = 1; k <= REACH; k++) sum += weights[level][k] * (rows[t - k] + rows[t + k]);
    out[y * pitch + x] = sum;
}

__global__ void halve(const float *in, float *out, int w, int h, int pitch)
{
    __shared__ float row[2 * 64 + 2];
    int t = threadIdx.x, y = 2 * blockIdx.y, first = blockIdx.x * 128;
    for (int i = t; i < 130; i += 64) row[i] = in[y * pitch + min(max(first + i - 1, 0), w - 1)];
    __syncthreads();
    int x = blockIdx.x * 64 + t;
    if (x < w / 2) out[blockIdx.y * pitch + x] = 0.25f * row[2 * t] + 0.5f * row[2 * t + 1] + 0.25f * row[2 * t + 2];
}

__global__ void extremes(const float *a, const float *b, int w, int h, int pitch, float threshold, unsigned *count, float *found, int room)
{
    int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 8 + threadIdx.y + 1;
    if (x >= w - 1 || y >= h - 1) return;
    float middle = b[y * pitch + x] - a[y * pitch + x];
    if (fabsf(middle) < threshold) return;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int at = (y + dy) * pitch + x + dx;
            float other = b[at] - a[at];
            if ((dx || dy) && (middle > 0 ? other >= middle : other <= middle)) return;
        }
    unsigned at = atomicAdd(count, 1);
    if (at < room) found[at] = middle;
}

int main(int argc, char **argv)
{
    const int w = 320, h = 240, room = 4096;
    float all[LEVELS][REACH + 1];
    for (int l = 0; l < LEVELS; l++)
        for (int k = 0; k <= REACH; k++) all[l][k] = 0.3f / (1 + k * (LEVELS - l));
    MUST(cudaMemcpyToSymbol(weights, all, sizeof all));
    auto pixels = picture(w, h);
    float *levels[LEVELS + 1], *found;
    unsigned *count;
    size_t bytes;
    for (auto &level : levels) MUST(cudaMallocPitch(&level, &bytes, w * 4, h));
    int pitch = bytes / 4;
    MUST(cudaMalloc(&found, room * 4));
    MUST(cudaMalloc(&count, 4));
    int ended = rounds(argc, argv, [&] {
        MUST(cudaMemcpy2D(levels[0], bytes, pixels.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
        MUST(cudaMemset(count, 0, 4));
        for (int wide = w, high = h; wide >= 40; wide /= 2, high /= 2) {
            for (int l = 0; l < LEVELS; l++)
                blur<<<dim3((wide + TILE - 1) / TILE, high), TILE + 2 * REACH>>>(levels[l], levels[l + 1], wide, high, pitch, l);
            for (int l = 0; l < LEVELS; l++)
                extremes<<<dim3((wide + 31) / 32, (high + 7) / 8), dim3(32, 8)>>>(levels[l], levels[l + 1], wide, high, pitch, 2.0f, count, found, room);
            halve<<<dim3((wide + 127) / 128, high / 2), 64>>>(levels[LEVELS], levels[0], wide, high, pitch);
        }
        unsigned seen;
        MUST(cudaMemcpy(&seen, count, 4, cudaMemcpyDeviceToHost));
        return double(seen);
    });
    for (auto level : levels) MUST(cudaFree(level));
    MUST(cudaFree(found));
    MUST(cudaFree(count));
    return ended;
}
