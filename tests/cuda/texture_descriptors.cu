// Descriptors: what is asked of objects and arrays comes back, and what CUDA refuses is refused with its
// error. Without a view, and of an object that has ended, an NVIDIA H200 (sm_90) answers so, driver 580.159.04, CUDA 13.0,
// 2026-11-28.
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

static cudaResourceDesc of(cudaArray_t array)
{
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void textures()
{
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    CHECK(cudaMallocArray(&array, &desc, 64, 32));
    cudaResourceDesc resource = of(array), back;
    cudaTextureDesc texture, read;
    std::memset(&texture, 0, sizeof texture);
    texture.addressMode[0] = cudaAddressModeWrap;
    texture.addressMode[1] = cudaAddressModeMirror;
    texture.addressMode[2] = cudaAddressModeBorder;
    texture.filterMode = cudaFilterModeLinear;
    texture.readMode = cudaReadModeNormalizedFloat;
    texture.sRGB = 1;
    texture.borderColor[0] = 0.25f;
    texture.borderColor[3] = 1;
    texture.normalizedCoords = 1;
    texture.maxAnisotropy = 4;
    texture.mipmapFilterMode = cudaFilterModeLinear;
    texture.mipmapLevelBias = 0.5f;
    texture.minMipmapLevelClamp = 1;
    texture.maxMipmapLevelClamp = 2;
    texture.disableTrilinearOptimization = 1;
    cudaResourceViewDesc view, seen;
    std::memset(&view, 0, sizeof view);
    view.format = cudaResViewFormatUnsignedChar4;
    view.width = 64;
    view.height = 32;
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    CHECK(cudaGetTextureObjectTextureDesc(&read, object));
    std::printf("texture: %d\n", std::memcmp(&texture, &read, sizeof read));
    CHECK(cudaGetTextureObjectResourceDesc(&back, object));
    std::printf("resource: %d %d\n", back.resType, back.res.array.array == array);
    std::printf("no view: %s\n", name(cudaGetTextureObjectResourceViewDesc(&seen, object)));
    CHECK(cudaDestroyTextureObject(object));
    texture.filterMode = cudaFilterModePoint;
    texture.readMode = cudaReadModeElementType;
    texture.sRGB = 0;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, &view));
    CHECK(cudaGetTextureObjectTextureDesc(&read, object));
    std::printf("texture: %d\n", std::memcmp(&texture, &read, sizeof read));
    CHECK(cudaGetTextureObjectResourceViewDesc(&seen, object));
    std::printf("view: %d, %zu x %zu x %zu, levels %u to %u, layers %u to %u\n", seen.format, seen.width,
                seen.height, seen.depth, seen.firstMipmapLevel, seen.lastMipmapLevel, seen.firstLayer,
                seen.lastLayer);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaDestroyTextureObject(0));
    std::printf("ended twice: %s\n", name(cudaDestroyTextureObject(object)));
    CHECK(cudaFreeArray(array));

    float *memory;
    CHECK(cudaMalloc(&memory, 4096));
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<float2>();
    resource.res.linear.sizeInBytes = 1024;
    std::memset(&texture, 0, sizeof texture);
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    CHECK(cudaGetTextureObjectResourceDesc(&back, object));
    std::printf("linear: %d, %zu bytes of {%d %d %d %d} %d\n", back.res.linear.devPtr == memory,
                back.res.linear.sizeInBytes, back.res.linear.desc.x, back.res.linear.desc.y,
                back.res.linear.desc.z, back.res.linear.desc.w, back.res.linear.desc.f);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFree(memory));
}

static void refusals()
{
    struct {
        const char *what;
        cudaChannelFormatDesc desc;
        cudaTextureReadMode read;
        cudaTextureFilterMode filter;
    } cases[] = {
        {"integers, linear", {8, 0, 0, 0, cudaChannelFormatKindUnsigned}, cudaReadModeElementType,
         cudaFilterModeLinear},
        {"fractions, linear", {8, 0, 0, 0, cudaChannelFormatKindUnsigned}, cudaReadModeNormalizedFloat,
         cudaFilterModeLinear},
        {"long integers as fractions", {32, 0, 0, 0, cudaChannelFormatKindSigned},
         cudaReadModeNormalizedFloat, cudaFilterModePoint},
        {"long integers as fractions, linear", {32, 0, 0, 0, cudaChannelFormatKindSigned},
         cudaReadModeNormalizedFloat, cudaFilterModeLinear},
        {"floats as fractions", {32, 32, 0, 0, cudaChannelFormatKindFloat}, cudaReadModeNormalizedFloat,
         cudaFilterModePoint},
        {"halves, linear", {16, 16, 16, 16, cudaChannelFormatKindFloat}, cudaReadModeElementType,
         cudaFilterModeLinear},
        {"unorm as elements", {8, 8, 8, 8, cudaChannelFormatKindUnsignedNormalized8X4},
         cudaReadModeElementType, cudaFilterModePoint},
        {"snorm, linear", {16, 16, 0, 0, cudaChannelFormatKindSignedNormalized16X2},
         cudaReadModeNormalizedFloat, cudaFilterModeLinear},
        {"three channels", {8, 8, 8, 0, cudaChannelFormatKindUnsigned}, cudaReadModeElementType,
         cudaFilterModePoint},
        {"unequal channels", {8, 16, 0, 0, cudaChannelFormatKindUnsigned}, cudaReadModeElementType,
         cudaFilterModePoint},
        {"a gap", {8, 0, 8, 0, cudaChannelFormatKindUnsigned}, cudaReadModeElementType,
         cudaFilterModePoint},
        {"64 bits", {64, 0, 0, 0, cudaChannelFormatKindUnsigned}, cudaReadModeElementType,
         cudaFilterModePoint},
        {"8-bit floats", {8, 0, 0, 0, cudaChannelFormatKindFloat}, cudaReadModeElementType,
         cudaFilterModePoint},
        {"the first kind of video of CUDA 13", {8, 8, 8, 8, (cudaChannelFormatKind)32}, cudaReadModeElementType,
         cudaFilterModePoint},
        {"no kind", {8, 0, 0, 0, cudaChannelFormatKindNone}, cudaReadModeElementType,
         cudaFilterModePoint},
    };
    for (const auto &c : cases) {
        cudaArray_t array = nullptr;
        cudaError_t made = cudaMallocArray(&array, &c.desc, 16, 16);
        if (made != cudaSuccess) {
            std::printf("%s: no array, %s\n", c.what, name(made));
            continue;
        }
        cudaResourceDesc resource = of(array);
        cudaTextureDesc texture;
        std::memset(&texture, 0, sizeof texture);
        texture.readMode = c.read;
        texture.filterMode = c.filter;
        cudaTextureObject_t object = 0;
        cudaError_t code = cudaCreateTextureObject(&object, &resource, &texture, nullptr);
        std::printf("%s: %s\n", c.what, name(code));
        if (code == cudaSuccess)
            CHECK(cudaDestroyTextureObject(object));
        CHECK(cudaFreeArray(array));
    }
}

static void extent(const char *what, size_t w, size_t h, size_t d, unsigned flags)
{
    cudaArray_t array = nullptr;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>(), back;
    cudaError_t code = cudaMalloc3DArray(&array, &desc, make_cudaExtent(w, h, d), flags);
    if (code != cudaSuccess) {
        std::printf("%s: %s\n", what, name(code));
        return;
    }
    cudaExtent extent;
    unsigned is;
    CHECK(cudaArrayGetInfo(&back, &extent, &is, array));
    std::printf("%s: %zu x %zu x %zu, flags %u, %d bits of kind %d\n", what, extent.width, extent.height,
                extent.depth, is, back.x, back.f);
    CHECK(cudaFreeArray(array));
}

int main()
{
    textures();
    refusals();
    extent("1D", 8, 0, 0, 0);
    extent("2D", 8, 6, 0, cudaArraySurfaceLoadStore);
    extent("3D", 8, 6, 4, 0);
    extent("1D layered", 8, 0, 4, cudaArrayLayered);
    extent("2D layered", 8, 6, 4, cudaArrayLayered);
    extent("cubemap", 8, 8, 6, cudaArrayCubemap);
    extent("cubemap layered", 8, 8, 12, cudaArrayCubemap | cudaArrayLayered);
    extent("gather", 8, 6, 0, cudaArrayTextureGather);
    extent("gather from layers", 8, 6, 4, cudaArrayTextureGather | cudaArrayLayered);
    extent("no width", 0, 6, 0, 0);
    extent("slices without rows", 8, 0, 4, 0);
    extent("cubemap of oblongs", 8, 6, 6, cudaArrayCubemap);
    extent("cubemap of seven", 8, 8, 7, cudaArrayCubemap);
    cudaArray_t array = nullptr;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    std::printf("layers of cudaMallocArray: %s\n",
                name(cudaMallocArray(&array, &desc, 8, 6, cudaArrayLayered)));
    std::printf("no array: %s\n", name(cudaGetChannelDesc(&desc, nullptr)));
    CHECK(cudaFreeArray(nullptr));
    size_t width = 0;
    desc = cudaCreateChannelDesc<float>();
    CHECK(cudaDeviceGetTexture1DLinearMaxWidth(&width, &desc, 0));
    std::printf("linear: %d\n", width >= 1 << 27);
    return 0;
}
