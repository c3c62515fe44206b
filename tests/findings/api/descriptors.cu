// check: texture
// groups: 4
// Descriptors that are not what the kernel means.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void wraps(cudaTextureObject_t tex, float *out) {
    out[threadIdx.x] = tex2D<float>(tex, threadIdx.x + 0.5f - 1, 0.5f); // finding[texture-address-mode]: wrap
}

__global__ void whole(cudaTextureObject_t tex, float *out) {
    out[threadIdx.x] = tex2D<float>(tex, threadIdx.x, 1.f); // finding[texture-half-texel]: whole
}

__global__ void bytes(cudaTextureObject_t tex, float *out) {
    out[threadIdx.x] = tex2D<float>(tex, threadIdx.x + 0.5f, 0.5f); // finding[texture-element-type]: float
}

__global__ void gathers(cudaTextureObject_t tex, float *out) {
    float4 c = tex2Dgather<float4>(tex, 4.f, 4.f); // finding[texture-gather-flag]: a gather from
    out[threadIdx.x] = c.x + c.y + c.z + c.w;
}

enum { N = 32 };

template <typename T> static cudaTextureObject_t of(cudaArray_t *array, bool linear, bool wrap, bool normalized_floats, unsigned flags) {
    T texels[N][N];
    for (int y = 0; y < N; y++)
        for (int x = 0; x < N; x++) texels[y][x] = (T)((x * x + 7 * y) % 100);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaMallocArray(array, &format, N, N, flags);
    cudaMemcpy2DToArray(*array, 0, 0, texels, sizeof texels[0], sizeof texels[0], N, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = *array;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = wrap ? cudaAddressModeWrap : cudaAddressModeClamp;
    desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.readMode = normalized_floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaTextureObject_t tex;
    cudaCreateTextureObject(&tex, &resource, &desc, nullptr);
    return tex;
}

int main(int count, char **) {
    bool right = count > 1; // right[texture-address-mode]: clamp // right[texture-half-texel]: a point filter // right[texture-element-type]: bytes are read as floats
    cudaArray_t arrays[4];
    cudaTextureObject_t all[] = {
        of<float>(&arrays[0], false, !right, false, 0),
        of<float>(&arrays[1], !right, false, false, 0),
        of<unsigned char>(&arrays[2], false, false, right, 0),
        of<float>(&arrays[3], false, false, false, right ? cudaArrayTextureGather : 0), // right[texture-gather-flag]: it has the flag
    };
    float *out, host[N];
    cudaMalloc(&out, sizeof host);
    wraps<<<1, N>>>(all[0], out);
    whole<<<1, N>>>(all[1], out);
    bytes<<<1, N>>>(all[2], out);
    gathers<<<1, N>>>(all[3], out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[3]);
    for (cudaTextureObject_t tex : all) cudaDestroyTextureObject(tex);
    for (cudaArray_t array : arrays) cudaFreeArray(array);
    cudaFree(out);
}
