// A pyramid of blurred pictures, as popsift builds one: layered arrays that surface stores fill layer by layer, each layer read through
// a layered texture with a linear filter while the next ones are undefined, a short loop of fetches in each thread, and dozens of
// small launches in each round.

#include "rounds.cuh"

constexpr int OCTAVES = 4, LEVELS = 6, REACH = 5;
__constant__ float weights[LEVELS][REACH + 1];

__global__ void load(cudaSurfaceObject_t out, cudaTextureObject_t in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    surf2DLayeredwrite(tex2D<float>(in, (x + 0.5f) / w, (y + 0.5f) / h), out, x * 4, y, 0);
}

__global__ void across(cudaSurfaceObject_t out, cudaTextureObject_t in, int from, int level, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = weights[level][0] * tex2DLayered<float>(in, x + 0.5f, y + 0.5f, from);
    for (int k = 1; k <= REACH; k++)
        sum += weights[level][k] * (tex2DLayered<float>(in, x - k + 0.5f, y + 0.5f, from) + tex2DLayered<float>(in, x + k + 0.5f, y + 0.5f, from));
    surf2DLayeredwrite(sum, out, x * 4, y, 0);
}

__global__ void down(cudaSurfaceObject_t out, cudaTextureObject_t in, int level, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = weights[level][0] * tex2DLayered<float>(in, x + 0.5f, y + 0.5f, 0);
    for (int k = 1; k <= REACH; k++)
        sum += weights[level][k] * (tex2DLayered<float>(in, x + 0.5f, y - k + 0.5f, 0) + tex2DLayered<float>(in, x + 0.5f, y + k + 0.5f, 0));
    surf2DLayeredwrite(sum, out, x * 4, y, level);
}

__global__ void halve(cudaSurfaceObject_t out, cudaTextureObject_t in, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) surf2DLayeredwrite(tex2DLayered<float>(in, 2 * x + 1.0f, 2 * y + 1.0f, LEVELS - 3), out, x * 4, y, 0);
}

__global__ void difference(float *out, cudaTextureObject_t in, int level, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = tex2DLayered<float>(in, x + 0.5f, y + 0.5f, level + 1) - tex2DLayered<float>(in, x + 0.5f, y + 0.5f, level);
}

struct Layers {
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaTextureObject_t texture;

    Layers(int w, int h, int layers, bool is_normalized = false)
    {
        auto format = cudaCreateChannelDesc<float>();
        unsigned flags = layers ? cudaArrayLayered | cudaArraySurfaceLoadStore : 0;
        MUST(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, layers), flags));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        if (layers) MUST(cudaCreateSurfaceObject(&surface, &resource));
        cudaTextureDesc texture_desc = {};
        texture_desc.addressMode[0] = texture_desc.addressMode[1] = cudaAddressModeClamp;
        texture_desc.filterMode = cudaFilterModeLinear;
        texture_desc.normalizedCoords = is_normalized;
        MUST(cudaCreateTextureObject(&texture, &resource, &texture_desc, nullptr));
    }
};

int main(int argc, char **argv)
{
    const int w = 320, h = 240;
    float all[LEVELS][REACH + 1];
    for (auto &level : all) {
        for (int k = 0; k <= REACH; k++) level[k] = 0.25f / (1 + k);
    }
    MUST(cudaMemcpyToSymbol(weights, all, sizeof all));
    auto pixels = picture(w, h);
    Layers source(w, h, 0, true);
    MUST(cudaMemcpy2DToArray(source.array, 0, 0, pixels.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    float *out;
    MUST(cudaMalloc(&out, w * h * 4));
    int ended = rounds(argc, argv, [&] {
        std::vector<Layers> octaves, halfway;
        for (int o = 0; o < OCTAVES; o++) {
            octaves.emplace_back(w >> o, h >> o, LEVELS);
            halfway.emplace_back(w >> o, h >> o, 1);
        }
        double sum = 0;
        dim3 block(32, 4);
        for (int o = 0; o < OCTAVES; o++) {
            int wide = w >> o, high = h >> o;
            dim3 grid((wide + 31) / 32, (high + 3) / 4);
            if (o == 0) load<<<grid, block>>>(octaves[0].surface, source.texture, wide, high);
            else halve<<<grid, block>>>(octaves[o].surface, octaves[o - 1].texture, wide, high);
            for (int level = 1; level < LEVELS; level++) {
                across<<<grid, block>>>(halfway[o].surface, octaves[o].texture, level - 1, level, wide, high);
                down<<<grid, block>>>(octaves[o].surface, halfway[o].texture, level, wide, high);
            }
            for (int level = 0; level + 1 < LEVELS; level++) difference<<<grid, block>>>(out, octaves[o].texture, level, wide, high);
            sum += sum_of(out, wide * high);
        }
        for (auto *all : {&octaves, &halfway})
            for (auto &layers : *all) {
                MUST(cudaDestroyTextureObject(layers.texture));
                MUST(cudaDestroySurfaceObject(layers.surface));
                MUST(cudaFreeArray(layers.array));
            }
        return sum;
    });
    MUST(cudaDestroyTextureObject(source.texture));
    MUST(cudaFreeArray(source.array));
    MUST(cudaFree(out));
    return ended;
}
