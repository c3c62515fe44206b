// Objects of a neighbouring geometry, as programs in daily use have them: a row that is a 2D array and is read by
// tex1D, a plain 2D array that a layered function sees as one layer (of a 1D array it reads 0: NVIDIA H200 (sm_90), driver
// 580.159.04, CUDA 13.0, 2026-11-28), and an array of one mip level with coordinates in
// texels. Last come what a card answers with zeros, and tex1D of an array with two rows.
// stderr: cudaMalloc3DArray with a depth
#include "checks.h"
#include <vector>

constexpr int W = 8;

__global__ void row(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    out[i] = tex1D<float>(t, i + 1.0f);
    out[W + i] = tex1DLod<float>(t, i + 0.5f, 3.0f);
    out[2 * W + i] = tex1DGrad<float>(t, i + 0.25f, 1.0f, 2.0f);
}

__global__ void layers(cudaTextureObject_t line, cudaTextureObject_t plane, float *out)
{
    int i = threadIdx.x;
    out[i] = tex1DLayered<float>(line, i + 0.5f, i);
    out[W + i] = tex2DLayered<float>(plane, i + 0.5f, 1.5f, 7);
}

__global__ void change(cudaSurfaceObject_t line, cudaSurfaceObject_t plane, float *out)
{
    int i = threadIdx.x, x = i * 4;
    out[i] = surf1DLayeredread<float>(line, x, 0);
    surf1DLayeredwrite(out[i] + 100.0f, line, x, 0);
    surf1DLayeredwrite(-1.0f, line, x, 1, cudaBoundaryModeZero);
    out[W + i] = surf2DLayeredread<float>(plane, x, 1, 3, cudaBoundaryModeClamp);
    surf2DLayeredwrite(out[W + i] + 100.0f, plane, x, 0, 0);
}

__global__ void level(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    out[i] = tex2DLod<float>(t, i + 0.5f, 0.5f, 2.0f);
    out[W + i] = tex2D<float>(t, i + 1.0f, 1.5f);
}

__global__ void solid(cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    out[i] = tex3D<float>(t, i + 0.5f, 0.5f, 0.5f);
}

static cudaTextureObject_t texture(const cudaResourceDesc &resource, cudaTextureFilterMode filter)
{
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    desc.filterMode = filter;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &resource, &desc, nullptr));
    return t;
}

static cudaResourceDesc of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static cudaArray_t filled(size_t width, size_t height, unsigned flags = 0)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    OK(cudaMallocArray(&array, &format, width, height, flags));
    std::vector<float> texels;
    for (size_t i = 0; i < width * (height ? height : 1); i++) texels.push_back(float(i));
    OK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), width * 4, width * 4, height ? height : 1,
                           cudaMemcpyHostToDevice));
    return array;
}

static void print(const char *what, const float *out, int rows)
{
    OK(cudaDeviceSynchronize());
    for (int r = 0; r < rows; r++) {
        std::printf("%s:", what);
        for (int i = 0; i < W; i++) std::printf(" %g", out[r * W + i]);
        std::printf("\n");
    }
}

int main()
{
    float *out;
    OK(cudaMallocManaged(&out, 3 * W * 4));
    row<<<1, W>>>(texture(of(filled(W, 1)), cudaFilterModeLinear), out);
    print("row", out, 3);

    cudaArray_t line = filled(W, 0, cudaArraySurfaceLoadStore);
    cudaArray_t plane = filled(W, 2, cudaArraySurfaceLoadStore);
    layers<<<1, W>>>(texture(of(line), cudaFilterModePoint), texture(of(plane), cudaFilterModePoint), out);
    print("layer", out, 2);

    cudaSurfaceObject_t s[2];
    cudaResourceDesc resources[] = {of(line), of(plane)};
    for (int i = 0; i < 2; i++) OK(cudaCreateSurfaceObject(&s[i], &resources[i]));
    change<<<1, W>>>(s[0], s[1], out);
    print("surface", out, 2);
    float after[3 * W];
    OK(cudaMemcpy2DFromArray(after, W * 4, line, 0, 0, W * 4, 1, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy2DFromArray(after + W, W * 4, plane, 0, 0, W * 4, 2, cudaMemcpyDeviceToHost));
    print("after", after, 3);

    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmapped;
    OK(cudaMallocMipmappedArray(&mipmapped, &format, make_cudaExtent(W, 2, 0), 1));
    cudaArray_t only;
    OK(cudaGetMipmappedArrayLevel(&only, mipmapped, 0));
    OK(cudaMemcpy2DToArray(only, 0, 0, after + W, W * 4, W * 4, 2, cudaMemcpyHostToDevice));
    cudaResourceDesc levels = {};
    levels.resType = cudaResourceTypeMipmappedArray;
    levels.res.mipmap.mipmap = mipmapped;
    level<<<1, W>>>(texture(levels, cudaFilterModeLinear), out);
    print("level", out, 2);

    solid<<<1, W>>>(texture(of(plane), cudaFilterModePoint), out);
    print("solid", out, 1);

    row<<<1, W>>>(texture(of(plane), cudaFilterModeLinear), out);
    std::printf("two rows: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    std::printf("%d wrong\n", wrong);
}
