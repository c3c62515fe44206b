// Arrays and textures that are filled in part, in all ways that the host has. The argument says what is fetched where nobody
// has written; without one there is no such fetch.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void fetch(cudaTextureObject_t texture, float x, float y, float *out) {
    float value = tex2D<float>(texture, x, y);
    *out = value + 1;
}

__global__ void fetch_layer(cudaTextureObject_t texture, int layer, float *out) {
    float value = tex2DLayered<float>(texture, 1.5f, 1.5f, layer);
    *out = value + 1;
}

__global__ void fetch_level(cudaTextureObject_t texture, float level, float *out) {
    float value = tex2DLod<float>(texture, 0.5f, 0.5f, level);
    *out = value + 1;
}

__global__ void fill(cudaSurfaceObject_t surface, int width) {
    if (threadIdx.x < width) surf2Dwrite(float(threadIdx.x), surface, threadIdx.x * 4, threadIdx.y);
}

static cudaTextureObject_t texture_of(cudaResourceDesc resource, bool normalized = false, bool linear = true) {
    cudaTextureDesc how{};
    cudaTextureObject_t texture;
    how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.mipmapFilterMode = how.filterMode;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    how.normalizedCoords = normalized;
    how.maxMipmapLevelClamp = 9;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    return texture;
}

static cudaTextureObject_t texture_of(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return texture_of(resource);
}

int main(int count, char **arguments) {
    auto is = [&](const char *name) { return count > 1 && !strcmp(arguments[1], name); };
    float texels[8 * 8], *out, result = 0;
    for (int i = 0; i < 64; i++) texels[i] = float(i);
    cudaMalloc(&out, 256);
    auto format = cudaCreateChannelDesc<float>();

    // Half of the rows, in part.
    cudaArray_t half, other;
    cudaMallocArray(&half, &format, 8, 8, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(half, 0, 0, texels, 32, 24, 4, cudaMemcpyHostToDevice);
    auto over_half = texture_of(half);
    fetch<<<1, 1>>>(over_half, 5.5f, 3.5f, out); // all of it is there
    fetch<<<1, 1>>>(over_half, -2.0f, 9.5f, out); // and this is outside
    if (is("rows")) fetch<<<1, 1>>>(over_half, 2.5f, 3.75f, out);
    cudaDeviceSynchronize();

    // An array that is copied takes along what is undefined.
    cudaMallocArray(&other, &format, 8, 8);
    cudaMemcpy2DArrayToArray(other, 0, 0, half, 0, 0, 32, 8, cudaMemcpyDeviceToDevice);
    auto over_other = texture_of(other);
    fetch<<<1, 1>>>(over_other, 5.5f, 3.5f, out);
    if (is("copied")) fetch<<<1, 1>>>(over_other, 7.0f, 3.5f, out);
    cudaDeviceSynchronize();

    // The rest by a kernel, but for a column.
    cudaResourceDesc resource{};
    cudaSurfaceObject_t surface;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = half;
    cudaCreateSurfaceObject(&surface, &resource);
    fill<<<1, dim3(8, 8)>>>(surface, 7);
    fetch<<<1, 1>>>(over_half, 6.5f, 7.5f, out);
    if (is("surface")) fetch<<<1, 1>>>(over_half, 6.75f, 7.5f, out);
    cudaDeviceSynchronize();

    // One of two layers, one of three levels.
    cudaArray_t layers, level;
    cudaMalloc3DArray(&layers, &format, make_cudaExtent(4, 4, 2), cudaArrayLayered);
    cudaMemcpy3DParms copy{};
    copy.srcPtr = make_cudaPitchedPtr(texels, 16, 4, 4);
    copy.dstArray = layers;
    copy.dstPos = make_cudaPos(0, 0, 1);
    copy.extent = make_cudaExtent(4, 4, 1);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3DAsync(&copy);
    auto over_layers = texture_of(layers);
    fetch_layer<<<1, 1>>>(over_layers, 1, out);
    if (is("layer")) fetch_layer<<<1, 1>>>(over_layers, 0, out);
    cudaMipmappedArray_t levels;
    cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(4, 4, 0), 3);
    cudaGetMipmappedArrayLevel(&level, levels, 0);
    cudaMemcpy2DToArray(level, 0, 0, texels, 16, 16, 4, cudaMemcpyHostToDevice);
    resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = levels;
    auto over_levels = texture_of(resource, true);
    fetch_level<<<1, 1>>>(over_levels, 0.0f, out);
    if (is("level")) fetch_level<<<1, 1>>>(over_levels, 0.25f, out);
    cudaDeviceSynchronize();

    // Memory with a pitch: rows are padded, and the padding is not read. One row was not set.
    size_t pitch;
    float *rows;
    cudaMallocPitch(&rows, &pitch, 20, 4);
    cudaMemset2DAsync(rows, pitch, 0, 20, 3);
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D = {rows, format, 5, 4, pitch};
    auto over_rows = texture_of(resource);
    fetch<<<1, 1>>>(over_rows, 4.75f, 2.5f, out);
    if (is("pitch")) fetch<<<1, 1>>>(over_rows, 4.75f, 2.75f, out);
    cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
    printf("%g %s\n", result, cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
