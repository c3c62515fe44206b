// Textures of every format of the runtime, read as elements and as fractions, and surfaces of those that
// have them; the expected values are worked out by the program.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <vector>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

constexpr int W = 16, H = 4;

__global__ void as_float(cudaTextureObject_t t, float4 *out)
{
    out[threadIdx.y * W + threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

__global__ void as_signed(cudaTextureObject_t t, int4 *out)
{
    out[threadIdx.y * W + threadIdx.x] = tex2D<int4>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

__global__ void as_unsigned(cudaTextureObject_t t, uint4 *out)
{
    out[threadIdx.y * W + threadIdx.x] = tex2D<uint4>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

enum What { INT, UINT, FLOATS, FRACTION };

struct Format {
    const char *name;
    cudaChannelFormatKind kind;
    int bits, channels;
    // How fractions are read: unsigned or signed.
    bool negative;
};

// The bits of a channel: all patterns of 8 bits are there.
static unsigned pattern(int i, int channel, int bits)
{
    unsigned value = (i * 4u + channel) * 2654435761u;
    return bits == 8 ? (i * 4 + channel) & 255 : bits == 16 ? value >> 16 : value;
}

static double expected(const Format &format, What what, unsigned bits)
{
    int size = format.bits;
    int value = size == 8 ? (int)(signed char)bits : size == 16 ? (int)(short)bits : (int)bits;
    if (what == INT)
        return value;
    if (what == UINT)
        return bits;
    if (what == FLOATS) {
        if (size == 16) {
            __half_raw raw;
            raw.x = (unsigned short)bits;
            return __half2float(__half(raw));
        }
        float f;
        std::memcpy(&f, &bits, 4);
        return f;
    }
    if (!format.negative)
        return (float)bits / (float)((1u << size) - 1);
    float f = (float)value / (float)((1u << (size - 1)) - 1);
    return f < -1 ? -1 : f;
}

static cudaArray_t filled(const Format &format, std::vector<unsigned> &all)
{
    int bytes = format.bits / 8;
    std::vector<unsigned char> data;
    for (int i = 0; i < W * H; i++)
        for (int c = 0; c < format.channels; c++) {
            unsigned bits = pattern(i, c, format.bits);
            // No NaN, whose bits need not stay.
            if (format.kind == cudaChannelFormatKindFloat)
                bits &= format.bits == 16 ? 0xbfff : 0xbfffffff;
            all.push_back(bits);
            for (int b = 0; b < bytes; b++)
                data.push_back((unsigned char)(bits >> 8 * b));
        }
    int w[4] = {0, 0, 0, 0};
    for (int c = 0; c < format.channels; c++)
        w[c] = format.bits;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc(w[0], w[1], w[2], w[3], format.kind), back;
    cudaArray_t array = nullptr;
    CHECK(cudaMallocArray(&array, &desc, W, H));
    CHECK(cudaGetChannelDesc(&back, array));
    if (std::memcmp(&desc, &back, sizeof desc) != 0)
        std::printf("%s: another descriptor\n", format.name);
    size_t row = (size_t)W * bytes * format.channels;
    CHECK(cudaMemcpy2DToArray(array, 0, 0, data.data(), row, row, H, cudaMemcpyHostToDevice));
    return array;
}

template <typename T>
static std::vector<T> read(cudaTextureObject_t object, void (*kernel)(cudaTextureObject_t, T *))
{
    T *out;
    std::vector<T> got(W * H);
    CHECK(cudaMalloc(&out, W * H * sizeof(T)));
    kernel<<<1, dim3(W, H)>>>(object, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), out, W * H * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(out));
    return got;
}

static void compare(const Format &format, What what)
{
    std::vector<unsigned> all;
    cudaArray_t array = filled(format, all);
    cudaResourceDesc resource;
    cudaTextureDesc desc;
    std::memset(&resource, 0, sizeof resource);
    std::memset(&desc, 0, sizeof desc);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    desc.readMode = what == FRACTION ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    cudaTextureObject_t object = 0;
    CHECK(cudaCreateTextureObject(&object, &resource, &desc, nullptr));
    std::vector<double> got;
    if (what == INT) {
        for (int4 v : read<int4>(object, as_signed))
            for (int part : {v.x, v.y, v.z, v.w})
                got.push_back(part);
    } else if (what == UINT) {
        for (uint4 v : read<uint4>(object, as_unsigned))
            for (unsigned part : {v.x, v.y, v.z, v.w})
                got.push_back(part);
    } else {
        for (float4 v : read<float4>(object, as_float))
            for (float part : {v.x, v.y, v.z, v.w})
                got.push_back(part);
    }
    int wrong = 0;
    for (int i = 0; i < W * H; i++)
        for (int c = 0; c < format.channels; c++) {
            double want = expected(format, what, all[i * format.channels + c]);
            double is = got[4 * i + c];
            if (is != want && wrong++ < 3)
                std::printf("%s: texel %d.%d is %.9g, expected %.9g\n", format.name, i, c, is, want);
        }
    const char *names[] = {"signed", "unsigned", "float", "fraction"};
    std::printf("%s x%d %d bits as %s: %d wrong, texel 9.0 is %.9g\n", format.name, format.channels,
                format.bits, names[what], wrong, got[36]);
    CHECK(cudaDestroyTextureObject(object));
    CHECK(cudaFreeArray(array));
}

int main()
{
    for (int channels : {1, 2, 4}) {
        for (int bits : {8, 16, 32}) {
            Format s = {"signed", cudaChannelFormatKindSigned, bits, channels, true};
            Format u = {"unsigned", cudaChannelFormatKindUnsigned, bits, channels, false};
            compare(s, INT);
            compare(u, UINT);
            if (bits < 32) {
                compare(s, FRACTION);
                compare(u, FRACTION);
            }
            if (bits > 8)
                compare({"float", cudaChannelFormatKindFloat, bits, channels, false}, FLOATS);
        }
    }
    // The kinds with the number of channels in their names follow each other.
    for (int i = 0; i < 6; i++) {
        int bits = i < 3 ? 8 : 16, channels = 1 << i % 3;
        int u = cudaChannelFormatKindUnsignedNormalized8X1 + i;
        int s = cudaChannelFormatKindSignedNormalized8X1 + i;
        compare({"unorm", (cudaChannelFormatKind)u, bits, channels, false}, FRACTION);
        compare({"snorm", (cudaChannelFormatKind)s, bits, channels, true}, FRACTION);
    }
    return 0;
}
