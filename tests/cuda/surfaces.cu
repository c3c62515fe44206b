// Surfaces of every geometry: a kernel reads each element, writes another, and the array is copied back.
#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

constexpr int W = 8, H = 8, LAYERS = 3;

enum Geometry { S1, S2, S3, L1, L2, CUBE, CUBES };

template <typename T> __device__ T plus(T value, int by);
template <> __device__ unsigned plus(unsigned value, int by) { return value + by; }
template <> __device__ ushort2 plus(ushort2 value, int by)
{
    return make_ushort2(value.x + by, value.y + 2 * by);
}
template <> __device__ float4 plus(float4 value, int by)
{
    return make_float4(value.x + by, value.y - by, value.z * 2, value.w);
}

// One thread for each element; x is in bytes, and what is outside reads as zero and is not written.
template <typename T>
__global__ void change(cudaSurfaceObject_t s, Geometry geometry, int by, int faces)
{
    int x = (int)threadIdx.x * (int)sizeof(T), y = threadIdx.y, z = blockIdx.x;
    T v;
    switch (geometry) {
    case S1:
        surf1Dread(&v, s, x, cudaBoundaryModeZero);
        surf1Dwrite(plus(v, by), s, x, cudaBoundaryModeZero);
        break;
    case S2:
        surf2Dread(&v, s, x, y, cudaBoundaryModeZero);
        surf2Dwrite(plus(v, by), s, x, y, cudaBoundaryModeZero);
        break;
    case S3:
        surf3Dread(&v, s, x, y, z, cudaBoundaryModeZero);
        surf3Dwrite(plus(v, by), s, x, y, z, cudaBoundaryModeZero);
        break;
    case L1:
        surf1DLayeredread(&v, s, x, z, cudaBoundaryModeZero);
        surf1DLayeredwrite(plus(v, by), s, x, z, cudaBoundaryModeZero);
        break;
    case L2:
        surf2DLayeredread(&v, s, x, y, z, cudaBoundaryModeZero);
        surf2DLayeredwrite(plus(v, by), s, x, y, z, cudaBoundaryModeZero);
        break;
    case CUBE:
        surfCubemapread(&v, s, x, y, z, cudaBoundaryModeZero);
        surfCubemapwrite(plus(v, by), s, x, y, z, cudaBoundaryModeZero);
        break;
    case CUBES:
        surfCubemapLayeredread(&v, s, x, y, z, cudaBoundaryModeZero);
        surfCubemapLayeredwrite(plus(v, by), s, x, y, z, cudaBoundaryModeZero);
        break;
    }
}

static unsigned first(int i, unsigned) { return i * 3 + 1; }
static ushort2 first(int i, ushort2) { return make_ushort2(i, 1000 - i); }
static float4 first(int i, float4) { return make_float4(i, -i, i + 0.5f, 7); }
static unsigned later(unsigned v, int by) { return v + by; }
static ushort2 later(ushort2 v, int by) { return make_ushort2(v.x + by, v.y + 2 * by); }
static float4 later(float4 v, int by) { return make_float4(v.x + by, v.y - by, v.z * 2, v.w); }
static double number(unsigned v) { return v; }
static double number(ushort2 v) { return v.x + 65536.0 * v.y; }
static double number(float4 v) { return v.x + 10 * v.y + 100 * v.z + 1000 * v.w; }

static cudaMemcpy3DParms copy(void *memory, cudaArray_t array, int w, int h, int d, size_t size,
                              bool back)
{
    cudaMemcpy3DParms p;
    std::memset(&p, 0, sizeof p);
    cudaPitchedPtr rows = make_cudaPitchedPtr(memory, w * size, w, h);
    p.extent = make_cudaExtent(w, h, d);
    if (back) {
        p.srcArray = array;
        p.dstPtr = rows;
        p.kind = cudaMemcpyDeviceToHost;
    } else {
        p.srcPtr = rows;
        p.dstArray = array;
        p.kind = cudaMemcpyHostToDevice;
    }
    return p;
}

template <typename T>
static void run(const char *name, Geometry geometry, int h, int d, unsigned flags)
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>();
    cudaArray_t array = nullptr;
    CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(W, h, d),
                            flags | cudaArraySurfaceLoadStore));
    int rows = h ? h : 1, slices = d ? d : 1, n = W * rows * slices, wrong = 0;
    std::vector<T> all(n), got(n);
    for (int i = 0; i < n; i++)
        all[i] = first(i, T());
    cudaMemcpy3DParms there = copy(all.data(), array, W, rows, slices, sizeof(T), false);
    CHECK(cudaMemcpy3D(&there));
    cudaResourceDesc resource, back;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t object = 0;
    CHECK(cudaCreateSurfaceObject(&object, &resource));
    CHECK(cudaGetSurfaceObjectResourceDesc(&back, object));
    if (back.resType != cudaResourceTypeArray || back.res.array.array != array)
        std::printf("%s: another resource\n", name);
    // One element more than there are, on each axis but the last.
    change<T><<<slices, dim3(W + 1, h ? rows + 1 : 1)>>>(object, geometry, 5, slices);
    CHECK(cudaGetLastError());
    cudaMemcpy3DParms home = copy(got.data(), array, W, rows, slices, sizeof(T), true);
    CHECK(cudaMemcpy3D(&home));
    for (int i = 0; i < n; i++)
        if (number(got[i]) != number(later(all[i], 5)) && wrong++ < 3)
            std::printf("%s: element %d is %.9g, expected %.9g\n", name, i, number(got[i]),
                        number(later(all[i], 5)));
    std::printf("%s, %zu bytes: %d elements, %d wrong, the last is %.9g\n", name, sizeof(T), n, wrong,
                number(got[n - 1]));
    CHECK(cudaDestroySurfaceObject(object));
    CHECK(cudaFreeArray(array));
}

template <typename T> static void all()
{
    run<T>("1D", S1, 0, 0, 0);
    run<T>("2D", S2, H, 0, 0);
    run<T>("3D", S3, 5, 4, 0);
    run<T>("1D layered", L1, 0, LAYERS, cudaArrayLayered);
    run<T>("2D layered", L2, H, LAYERS, cudaArrayLayered);
    run<T>("cubemap", CUBE, W, 6, cudaArrayCubemap);
    run<T>("cubemap layered", CUBES, W, 12, cudaArrayCubemap | cudaArrayLayered);
}

__global__ void clamped(cudaSurfaceObject_t s, unsigned *out)
{
    int i = threadIdx.x - 2;
    unsigned v;
    surf2Dread(&v, s, i * 4, i, cudaBoundaryModeClamp);
    out[threadIdx.x] = v;
}

__global__ void sample(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(t, 0.5f, 0.5f, threadIdx.x);
}

__global__ void fill(cudaSurfaceObject_t s, float value)
{
    surf2Dwrite(value, s, threadIdx.x * 4, threadIdx.y);
}

// Surfaces of the levels of a mipmapped array, made for them or not, which a texture reads.
static void levels(const char *what, unsigned flags)
{
    cudaMipmappedArray_t mipmap;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(W, H, 0), 4, flags));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    for (int level = 0; level < 4; level++) {
        cudaSurfaceObject_t object;
        resource.resType = cudaResourceTypeArray;
        CHECK(cudaGetMipmappedArrayLevel(&resource.res.array.array, mipmap, level));
        CHECK(cudaCreateSurfaceObject(&object, &resource));
        fill<<<1, dim3(W >> level, H >> level)>>>(object, 2.5f * (level + 1));
        CHECK(cudaDestroySurfaceObject(object));
    }
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    cudaTextureDesc texture;
    std::memset(&texture, 0, sizeof texture);
    texture.normalizedCoords = 1;
    texture.maxMipmapLevelClamp = 3;
    cudaTextureObject_t object;
    CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
    float *out, got[4];
    CHECK(cudaMalloc(&out, sizeof got));
    sample<<<1, 4>>>(object, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("%s: %g %g %g %g\n", what, got[0], got[1], got[2], got[3]);
    CHECK(cudaFree(out));
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeMipmappedArray(mipmap));
}

int main()
{
    all<unsigned>();
    all<ushort2>();
    all<float4>();

    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<unsigned>();
    CHECK(cudaMallocArray(&array, &desc, W, H, cudaArraySurfaceLoadStore));
    unsigned host[W * H], *out, got[12];
    for (int i = 0; i < W * H; i++)
        host[i] = i;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t object;
    CHECK(cudaCreateSurfaceObject(&object, &resource));
    CHECK(cudaMalloc(&out, sizeof got));
    clamped<<<1, 12>>>(object, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    std::printf("clamped:");
    for (unsigned v : got)
        std::printf(" %u", v);
    std::printf("\n");
    CHECK(cudaDestroySurfaceObject(object));
    CHECK(cudaFreeArray(array));
    levels("levels", cudaArraySurfaceLoadStore);
    levels("levels without the flag", 0);
    // Arrays that were not made for surfaces: written, read back, and refused if they are of blocks.
    CHECK(cudaMallocArray(&array, &desc, W, H));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, host, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    resource.res.array.array = array;
    CHECK(cudaCreateSurfaceObject(&object, &resource));
    change<unsigned><<<1, dim3(W, H)>>>(object, S2, 100, 1);
    CHECK(cudaMemcpy2DFromArray(host, W * 4, array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    std::printf("without the flag: %u %u\n", host[0], host[W * H - 1]);
    CHECK(cudaDestroySurfaceObject(object));
    CHECK(cudaFreeArray(array));
    desc = cudaCreateChannelDesc<cudaChannelFormatKindUnsignedBlockCompressed1>();
    CHECK(cudaMallocArray(&array, &desc, W, H));
    resource.res.array.array = array;
    std::printf("blocks: %s\n", cudaGetErrorName(cudaCreateSurfaceObject(&object, &resource)));
    CHECK(cudaFreeArray(array));
    return 0;
}
