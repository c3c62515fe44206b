// stderr: a texture is made of one level of a layered mipmapped array
// Textures of every geometry, read by kernels; what is expected is worked out by the program.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

constexpr int W = 8, H = 8, D = 4, LAYERS = 3;

// What a texel holds, by its place.
static float texel(int x, int y, int z) { return x + 16 * y + 256 * z; }

static std::vector<float> texels(int width, int height, int depth)
{
    std::vector<float> all;
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                all.push_back(texel(x, y, z));
    return all;
}

static cudaArray_t filled(int width, int height, int depth, unsigned flags)
{
    cudaArray_t array = nullptr;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CHECK(cudaMalloc3DArray(&array, &desc, make_cudaExtent(width, height, depth), flags));
    std::vector<float> all = texels(width, height ? height : 1, depth ? depth : 1);
    cudaMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(all.data(), width * sizeof(float), width, height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t texture(const cudaResourceDesc &resource, bool linear, bool normalized,
                                   cudaTextureAddressMode mode)
{
    cudaTextureDesc desc;
    std::memset(&desc, 0, sizeof desc);
    desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = mode;
    desc.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    desc.mipmapFilterMode = desc.filterMode;
    desc.normalizedCoords = normalized;
    desc.borderColor[0] = -1;
    desc.maxMipmapLevelClamp = 16;
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &resource, &desc, nullptr));
    return object;
}

static cudaResourceDesc of_array(cudaArray_t array)
{
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

enum Geometry { T1, T2, T3, L1, L2, CUBE, CUBES, FETCH, LOD };

struct Coords {
    float x, y, z;
    int layer;
};

__global__ void read(cudaTextureObject_t t, Geometry geometry, const Coords *at, float *out, int n)
{
    int i = threadIdx.x;
    if (i >= n)
        return;
    Coords c = at[i];
    switch (geometry) {
    case T1: out[i] = tex1D<float>(t, c.x); break;
    case T2: out[i] = tex2D<float>(t, c.x, c.y); break;
    case T3: out[i] = tex3D<float>(t, c.x, c.y, c.z); break;
    case L1: out[i] = tex1DLayered<float>(t, c.x, c.layer); break;
    case L2: out[i] = tex2DLayered<float>(t, c.x, c.y, c.layer); break;
    case CUBE: out[i] = texCubemap<float>(t, c.x, c.y, c.z); break;
    case CUBES: out[i] = texCubemapLayered<float>(t, c.x, c.y, c.z, c.layer); break;
    case FETCH: out[i] = tex1Dfetch<float>(t, c.layer); break;
    case LOD: out[i] = tex2DLod<float>(t, c.x, c.y, c.z); break;
    }
}

struct Case {
    Coords at;
    float expected;
};

static void run(const char *name, cudaTextureObject_t object, Geometry geometry,
                const std::vector<Case> &cases)
{
    int n = (int)cases.size(), wrong = 0;
    std::vector<Coords> at;
    for (const Case &c : cases)
        at.push_back(c.at);
    Coords *coords;
    float *out;
    std::vector<float> got(n);
    CHECK(cudaMalloc(&coords, n * sizeof(Coords)));
    CHECK(cudaMalloc(&out, n * sizeof(float)));
    CHECK(cudaMemcpy(coords, at.data(), n * sizeof(Coords), cudaMemcpyHostToDevice));
    read<<<1, n>>>(object, geometry, coords, out, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (got[i] != cases[i].expected) {
            wrong++;
            std::printf("%s: case %d is %g, expected %g\n", name, i, got[i], cases[i].expected);
        }
    std::printf("%s: %d of %d, the last is %g\n", name, n - wrong, n, got[n - 1]);
    CHECK(cudaFree(coords));
    CHECK(cudaFree(out));
    CHECK(cudaDestroyTextureObject(object));
}

static void axes()
{
    cudaArray_t line = filled(W, 0, 0, 0), plane = filled(W, H, 0, 0), box = filled(W, H, D, 0);
    std::vector<Case> cases;
    for (int x = 0; x < W; x++)
        cases.push_back({{x + 0.5f, 0, 0, 0}, texel(x, 0, 0)});
    run("1D point", texture(of_array(line), false, false, cudaAddressModeClamp), T1, cases);
    // Halves lie between two texels, exactly.
    cases.clear();
    for (int x = 1; x < W; x++)
        cases.push_back({{(float)x, 0, 0, 0}, (texel(x - 1, 0, 0) + texel(x, 0, 0)) / 2});
    cases.push_back({{-3, 0, 0, 0}, 0});
    cases.push_back({{W + 3.0f, 0, 0, 0}, texel(W - 1, 0, 0)});
    run("1D linear clamp", texture(of_array(line), true, false, cudaAddressModeClamp), T1, cases);
    cases.clear();
    for (int x = -W; x < 2 * W; x++)
        cases.push_back({{(x + 0.5f) / W, 0, 0, 0}, texel((x + W) % W, 0, 0)});
    run("1D wrap", texture(of_array(line), false, true, cudaAddressModeWrap), T1, cases);
    cases.clear();
    for (int x = -W; x < 2 * W; x++)
        cases.push_back({{(x + 0.5f) / W, 0, 0, 0},
                         texel(x < 0 ? -1 - x : x < W ? x : 2 * W - 1 - x, 0, 0)});
    run("1D mirror", texture(of_array(line), false, true, cudaAddressModeMirror), T1, cases);
    cases.clear();
    for (int y = -1; y <= H; y++)
        for (int x = -1; x <= W; x += 3)
            cases.push_back({{x + 0.5f, y + 0.5f, 0, 0},
                             x < 0 || y < 0 || x >= W || y >= H ? -1 : texel(x, y, 0)});
    run("2D border", texture(of_array(plane), false, false, cudaAddressModeBorder), T2, cases);
    cases.clear();
    for (int y = 1; y < H; y++)
        for (int x = 1; x < W; x += 2)
            cases.push_back({{x + 0.25f, (float)y, 0, 0}, x - 0.25f + 16 * (y - 0.5f)});
    run("2D linear", texture(of_array(plane), true, false, cudaAddressModeClamp), T2, cases);
    cases.clear();
    for (int z = 1; z < D; z++)
        for (int y = 1; y < H; y += 2)
            cases.push_back({{3.5f, (float)y, (float)z, 0}, 3 + 16 * (y - 0.5f) + 256 * (z - 0.5f)});
    run("3D linear", texture(of_array(box), true, false, cudaAddressModeClamp), T3, cases);
    CHECK(cudaFreeArray(line));
    CHECK(cudaFreeArray(plane));
    CHECK(cudaFreeArray(box));
}

static void layers()
{
    cudaArray_t lines = filled(W, 0, LAYERS, cudaArrayLayered);
    cudaArray_t planes = filled(W, H, LAYERS, cudaArrayLayered);
    std::vector<Case> cases;
    // The number of a layer has no sign: one outside is the last.
    for (int layer = -1; layer <= LAYERS; layer++)
        for (int x = 0; x < W; x++)
            cases.push_back({{x + 0.5f, 0, 0, layer},
                             texel(x, 0, layer < 0 || layer >= LAYERS ? LAYERS - 1 : layer)});
    run("1D layered", texture(of_array(lines), false, false, cudaAddressModeClamp), L1, cases);
    cases.clear();
    for (int layer = 0; layer < LAYERS; layer++)
        for (int y = 1; y < H; y++)
            cases.push_back({{2.5f, (float)y, 0, layer}, 2 + 16 * (y - 0.5f) + 256 * layer});
    run("2D layered", texture(of_array(planes), true, false, cudaAddressModeClamp), L2, cases);
    CHECK(cudaFreeArray(lines));
    CHECK(cudaFreeArray(planes));
}

// The texel (i, j) of a face is seen in this direction.
static Coords direction(int face, int i, int j, int layer)
{
    float s = 2 * (i + 0.5f) / W - 1, t = 2 * (j + 0.5f) / W - 1;
    switch (face) {
    case 0: return {1, -t, -s, layer};
    case 1: return {-1, -t, s, layer};
    case 2: return {s, 1, t, layer};
    case 3: return {s, -1, -t, layer};
    case 4: return {s, -t, 1, layer};
    default: return {-s, -t, -1, layer};
    }
}

static void cubes()
{
    cudaArray_t one = filled(W, W, 6, cudaArrayCubemap);
    cudaArray_t two = filled(W, W, 12, cudaArrayCubemap | cudaArrayLayered);
    for (int layered = 0; layered < 2; layered++) {
        std::vector<Case> cases;
        for (int layer = 0; layer <= layered; layer++)
            for (int face = 0; face < 6; face++)
                for (int j = 0; j < W; j += 2)
                    for (int i = 1; i < W; i += 3)
                        cases.push_back({direction(face, i, j, layer), texel(i, j, 6 * layer + face)});
        run(layered ? "cubemap layered" : "cubemap",
            texture(of_array(layered ? two : one), false, true, cudaAddressModeClamp),
            layered ? CUBES : CUBE, cases);
    }
    CHECK(cudaFreeArray(one));
    CHECK(cudaFreeArray(two));
}

static void memory()
{
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    float *line;
    std::vector<float> all = texels(W, H, 1);
    CHECK(cudaMalloc(&line, W * H * sizeof(float)));
    CHECK(cudaMemcpy(line, all.data(), W * H * sizeof(float), cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = line;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = W * H * sizeof(float);
    std::vector<Case> cases;
    for (int i = -1; i <= W * H; i += 5)
        cases.push_back({{0, 0, 0, i}, i < 0 || i >= W * H ? 0 : all[i]});
    run("linear memory", texture(resource, false, false, cudaAddressModeClamp), FETCH, cases);

    float *rows;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, W * sizeof(float), H));
    CHECK(cudaMemcpy2D(rows, pitch, all.data(), W * sizeof(float), W * sizeof(float), H,
                       cudaMemcpyHostToDevice));
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = W;
    resource.res.pitch2D.height = H;
    resource.res.pitch2D.pitchInBytes = pitch;
    cases.clear();
    for (int y = 1; y < H; y++)
        for (int x = 1; x < W; x += 2)
            cases.push_back({{(float)x, (float)y, 0, 0}, x - 0.5f + 16 * (y - 0.5f)});
    run("pitched memory", texture(resource, true, false, cudaAddressModeClamp), T2, cases);
    CHECK(cudaFree(line));
    CHECK(cudaFree(rows));
}

static void mipmaps()
{
    cudaMipmappedArray_t mipmap;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    CHECK(cudaMallocMipmappedArray(&mipmap, &desc, make_cudaExtent(W, W, 0), 4));
    for (int level = 0; level < 4; level++) {
        cudaArray_t array;
        cudaExtent extent;
        cudaChannelFormatDesc of;
        unsigned flags;
        CHECK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        CHECK(cudaArrayGetInfo(&of, &extent, &flags, array));
        std::printf("level %d: %zu x %zu x %zu, %d bits\n", level, extent.width, extent.height,
                    extent.depth, of.x);
        std::vector<float> all(W * W, 100.0f * (level + 1));
        size_t row = extent.width * sizeof(float);
        CHECK(cudaMemcpy2DToArray(array, 0, 0, all.data(), row, row, extent.height,
                                  cudaMemcpyHostToDevice));
    }
    cudaArray_t none;
    std::printf("level 4: %s\n", cudaGetErrorName(cudaGetMipmappedArrayLevel(&none, mipmap, 4)));
    cudaGetLastError();
    cudaResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    std::vector<Case> cases;
    for (float lod = -1; lod <= 5; lod += 0.25f)
        cases.push_back({{0.5f, 0.5f, lod, 0}, 100 * (1 + (lod < 0 ? 0 : lod > 3 ? 3 : lod))});
    run("mipmapped", texture(resource, true, true, cudaAddressModeClamp), LOD, cases);
    CHECK(cudaFreeMipmappedArray(mipmap));
}

// The layers of a level that is an array of its own: a GOB is the next layer of the level, but the
// layers of the mipmapped array have two, one for each level.
static void layers_of_levels()
{
    cudaMipmappedArray_t mipmap;
    cudaArray_t levels[2];
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaExtent size = make_cudaExtent(W, H, LAYERS);
    CHECK(cudaMallocMipmappedArray(&mipmap, &desc, size, 2, cudaArrayLayered));
    for (int level = 0; level < 2; level++) {
        int width = W >> level, height = H >> level;
        CHECK(cudaGetMipmappedArrayLevel(&levels[level], mipmap, level));
        std::vector<float> all = texels(width, height, LAYERS);
        for (float &value : all)
            value += 0.25f * level;
        cudaMemcpy3DParms copy;
        std::memset(&copy, 0, sizeof copy);
        copy.srcPtr = make_cudaPitchedPtr(all.data(), width * sizeof(float), width, height);
        copy.dstArray = levels[level];
        copy.extent = make_cudaExtent(width, height, LAYERS);
        copy.kind = cudaMemcpyHostToDevice;
        CHECK(cudaMemcpy3D(&copy));
    }
    std::vector<Case> cases;
    for (int layer = 0; layer < LAYERS; layer++)
        for (int y = 0; y < H; y++) {
            int x = (y + layer) % (W / 2);
            bool small = layer % 2 == 1;
            float there = small && y >= H / 2 ? 0 : texel(x, y, layer / 2) + 0.25f * small;
            cases.push_back({{x + 0.5f, y + 0.5f, 0, layer}, there});
        }
    cudaTextureObject_t base = texture(of_array(levels[0]), false, false, cudaAddressModeClamp);
    run("layers of level 0", base, L2, cases);
    cases.clear();
    for (int layer = 0; layer < LAYERS; layer++)
        for (int y = 0; y < H / 2; y++)
            cases.push_back({{y + 0.5f, y + 0.5f, 0, layer},
                             texel(y, y, (layer + 1) / 2) + 0.25f * (layer % 2 == 0)});
    cudaTextureObject_t next = texture(of_array(levels[1]), false, false, cudaAddressModeClamp);
    run("layers of level 1", next, L2, cases);
    CHECK(cudaFreeMipmappedArray(mipmap));
}

int main()
{
    axes();
    layers();
    cubes();
    memory();
    mipmaps();
    layers_of_levels();
    return 0;
}
