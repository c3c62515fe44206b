// Projections of a picture in parallel beams and back, as ASTRA makes them: rays step through a texture with a linear filter and a
// border of zeros, angle by angle in many small launches, and each pixel fetches from all rows of the sinogram.

#include "rounds.cuh"

constexpr int SIZE = 96, ANGLES = 48, RAYS = 128, AT_ONCE = 8;
__constant__ float2 directions[ANGLES];

__global__ void forward(float *sinogram, cudaTextureObject_t picture, int first)
{
    int ray = blockIdx.x * blockDim.x + threadIdx.x, angle = first + blockIdx.y;
    float2 d = directions[angle];
    float offset = ray - RAYS / 2 + 0.5f, sum = 0;
    if (fabsf(d.x) > fabsf(d.y)) {
        float slope = d.y / d.x, y = SIZE / 2 + offset / d.x - slope * (SIZE / 2 - 0.5f);
        for (int x = 0; x < SIZE; x++, y += slope) sum += tex2D<float>(picture, x + 0.5f, y);
    } else {
        float slope = d.x / d.y, x = SIZE / 2 + offset / d.y - slope * (SIZE / 2 - 0.5f);
        for (int y = 0; y < SIZE; y++, x += slope) sum += tex2D<float>(picture, x, y + 0.5f);
    }
    sinogram[angle * RAYS + ray] = sum;
}

__global__ void back(float *volume, cudaTextureObject_t sinogram)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float fx = x - SIZE / 2 + 0.5f, fy = y - SIZE / 2 + 0.5f, sum = 0;
    for (int angle = 0; angle < ANGLES; angle++) {
        float2 d = directions[angle];
        sum += tex2D<float>(sinogram, fy * d.x - fx * d.y + RAYS / 2, angle + 0.5f);
    }
    volume[y * SIZE + x] = sum;
}

cudaTextureObject_t texture(const cudaResourceDesc &resource)
{
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t made;
    MUST(cudaCreateTextureObject(&made, &resource, &how, nullptr));
    return made;
}

int main(int argc, char **argv)
{
    float2 all[ANGLES];
    for (int a = 0; a < ANGLES; a++) all[a] = {cosf(a * 3.14159265f / ANGLES + 0.01f), sinf(a * 3.14159265f / ANGLES + 0.01f)};
    MUST(cudaMemcpyToSymbol(directions, all, sizeof all));
    auto pixels = picture(SIZE, SIZE);
    cudaArray_t array;
    auto format = cudaCreateChannelDesc<float>();
    MUST(cudaMallocArray(&array, &format, SIZE, SIZE));
    MUST(cudaMemcpy2DToArray(array, 0, 0, pixels.data(), SIZE * 4, SIZE * 4, SIZE, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    auto volume = texture(resource);
    float *sinogram, *result;
    MUST(cudaMalloc(&sinogram, ANGLES * RAYS * 4));
    MUST(cudaMalloc(&result, SIZE * SIZE * 4));
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {sinogram, format, RAYS, ANGLES, RAYS * 4};
    auto rows = texture(resource);
    int ended = rounds(argc, argv, [&] {
        for (int angle = 0; angle < ANGLES; angle += AT_ONCE) forward<<<dim3(RAYS / 32, AT_ONCE), 32>>>(sinogram, volume, angle);
        back<<<dim3(SIZE / 16, SIZE / 16), dim3(16, 16)>>>(result, rows);
        double sum = sum_of(result, SIZE * SIZE);
        MUST(cudaDestroyTextureObject(rows));
        rows = texture(resource);
        return sum;
    });
    MUST(cudaDestroyTextureObject(rows));
    MUST(cudaDestroyTextureObject(volume));
    MUST(cudaFreeArray(array));
    MUST(cudaFree(sinogram));
    MUST(cudaFree(result));
    return ended;
}
