// Gather, resource views, block-compressed and packed formats.
#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

__global__ void gather(cudaTextureObject_t t, float4 *out)
{
    out[0] = tex2Dgather<float4>(t, 2, 2, 0);
    out[1] = tex2Dgather<float4>(t, 2, 2, 1);
    out[2] = tex2Dgather<float4>(t, 0, 3, 2);
    out[3] = tex2Dgather<float4>(t, 3, 1, 3);
}

__global__ void points(cudaTextureObject_t t, float4 *out)
{
    int i = threadIdx.x;
    out[i] = tex2D<float4>(t, i % 4 + 0.5f, i / 4 + 0.5f);
}

__global__ void layers(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLayered<float>(t, 0.5f, 0.5f, threadIdx.x);
}

__global__ void integers(cudaTextureObject_t t, uint2 *out)
{
    out[threadIdx.x] = tex2D<uint2>(t, threadIdx.x + 0.5f, 0.5f);
}

template <typename T> static std::vector<T> home(T *device, int n)
{
    std::vector<T> got(n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    return got;
}

static cudaTextureObject_t texture(cudaArray_t array, bool fractions, cudaResourceViewDesc *view)
{
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    std::memset(&resource, 0, sizeof resource);
    std::memset(&desc, 0, sizeof desc);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    desc.readMode = fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &resource, &desc, view));
    return object;
}

static void gathers()
{
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float4>();
    CHECK(cudaMallocArray(&array, &desc, 4, 4, cudaArrayTextureGather));
    float4 host[16], *out;
    for (int i = 0; i < 16; i++)
        host[i] = make_float4(i, 100 + i, 200 + i, 300 + i);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 64, 64, 4, cudaMemcpyHostToDevice));
    cudaTextureObject_t object = texture(array, false, nullptr);
    CHECK(cudaMalloc(&out, 4 * sizeof(float4)));
    gather<<<1, 1>>>(object, out);
    for (float4 v : home(out, 4))
        std::printf("gather: %g %g %g %g\n", v.x, v.y, v.z, v.w);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(array));
}

// Blocks of BC1 (of BC3, a half): two colours of 5, 6, 5 bits, and 2 bits for each of 16 texels.
static void blocks()
{
    struct Block {
        unsigned short color[2];
        unsigned char rows[4];
    } one[2] = {{{0xf800, 0x001f}, {0x1b, 0x1b, 0xe4, 0x00}}, {{0x07e0, 0xffff}, {0x1b, 0, 0, 0}}};
    cudaArray_t array;
    cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsignedBlockCompressed1);
    CHECK(cudaMallocArray(&array, &desc, 8, 4));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, one, 16, 16, 1, cudaMemcpyHostToDevice));
    float4 *out;
    CHECK(cudaMalloc(&out, 16 * sizeof(float4)));
    cudaTextureObject_t object = texture(array, true, nullptr);
    points<<<1, 16>>>(object, out);
    std::vector<float4> got = home(out, 16);
    for (int i : {0, 1, 2, 3, 8, 12})
        std::printf("BC1 %d: %.3f %.3f %.3f %.3f\n", i, got[i].x, got[i].y, got[i].z, got[i].w);
    CHECK(cudaDestroyTextureObject(object));
    // The same blocks as integers, seen as BC1: a view is four times as wide and high.
    cudaArray_t raw;
    desc = cudaCreateChannelDesc<uint2>();
    CHECK(cudaMallocArray(&raw, &desc, 2, 1));
    CHECK(cudaMemcpy2DToArray(raw, 0, 0, one, 16, 16, 1, cudaMemcpyHostToDevice));
    cudaResourceViewDesc view;
    std::memset(&view, 0, sizeof view);
    view.format = cudaResViewFormatUnsignedBlockCompressed1;
    view.width = 8;
    view.height = 4;
    object = texture(raw, false, &view);
    CHECK(cudaMalloc(&out, 16 * sizeof(float4)));
    points<<<1, 16>>>(object, out);
    std::vector<float4> seen = home(out, 16);
    std::printf("view of blocks: %d\n", std::memcmp(seen.data(), got.data(), 16 * sizeof(float4)));
    CHECK(cudaDestroyTextureObject(object));
    uint2 *words;
    CHECK(cudaMalloc(&words, 2 * sizeof(uint2)));
    object = texture(raw, false, nullptr);
    integers<<<1, 2>>>(object, words);
    std::vector<uint2> both = home(words, 2);
    std::printf("without a view: %08x %08x %08x %08x\n", both[0].x, both[0].y, both[1].x, both[1].y);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(raw));
    CHECK(cudaFreeArray(array));
}

static void packed()
{
    cudaArray_t array;
    cudaChannelFormatDesc desc =
        cudaCreateChannelDesc(10, 10, 10, 2, cudaChannelFormatKindUnsignedNormalized1010102), back;
    CHECK(cudaMallocArray(&array, &desc, 4, 4));
    CHECK(cudaGetChannelDesc(&back, array));
    std::printf("packed: %d %d %d %d\n", back.x, back.y, back.z, back.w);
    unsigned host[16], mirror[16];
    for (int i = 0; i < 16; i++)
        host[i] = (unsigned)(i * 64) | 1023u << 10 | (unsigned)(i * 11) << 20 | (unsigned)(i % 4) << 30;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, 16, 16, 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DFromArray(mirror, 16, array, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    std::printf("copied: %d\n", std::memcmp(host, mirror, sizeof host));
    float4 *out;
    CHECK(cudaMalloc(&out, 16 * sizeof(float4)));
    cudaTextureObject_t object = texture(array, false, nullptr);
    points<<<1, 16>>>(object, out);
    std::vector<float4> got = home(out, 16);
    int wrong = 0;
    for (int i = 0; i < 16; i++) {
        float4 want = make_float4(i * 64 / 1023.0f, 1, i * 11 / 1023.0f, i % 4 / 3.0f);
        wrong += got[i].x != want.x || got[i].y != want.y || got[i].z != want.z || got[i].w != want.w;
    }
    std::printf("packed: %d wrong, %.4f %.4f %.4f %.4f\n", wrong, got[5].x, got[5].y, got[5].z, got[5].w);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(array));
}

static void ranges()
{
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(1, 1, 6), cudaArrayLayered));
    float host[6] = {10, 11, 12, 13, 14, 15}, *out;
    cudaMemcpy3DParms p;
    std::memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(host, 4, 1, 1);
    p.dstArray = array;
    p.extent = make_cudaExtent(1, 1, 6);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    cudaResourceViewDesc view;
    std::memset(&view, 0, sizeof view);
    view.format = cudaResViewFormatFloat1;
    view.width = view.height = 1;
    view.depth = 6;
    view.firstLayer = 2;
    view.lastLayer = 4;
    cudaTextureObject_t object = texture(array, false, &view);
    CHECK(cudaMalloc(&out, 4 * sizeof(float)));
    layers<<<1, 4>>>(object, out);
    std::vector<float> got = home(out, 4);
    std::printf("layers 2 to 4: %g %g %g %g\n", got[0], got[1], got[2], got[3]);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(array));
}

int main()
{
    gathers();
    blocks();
    packed();
    ranges();
    return 0;
}
