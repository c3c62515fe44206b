// The kernels of `texunit bench --via ptx`. Each thread computes four points, fetches there, adds up,
// and stores 16 bytes. kernels.ptx is what nvcc 13.5.37 makes of it:
//
//     nvcc -std=c++17 -ptx -arch=sm_75 kernels.cu -o kernels.ptx
//
// `points.rs` has the same arithmetic for the host.

constexpr unsigned STRIDE = 1 << 20; // From a fetch of a thread to its next one.
constexpr float COS = 0.99619470f;   // The scan is turned by 5 degrees.
constexpr float SIN = 0.08715574f;

__device__ unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Rows of 2048 points; a point is `scale` from the next.
__device__ float2 plane_coherent(unsigned i, float scale)
{
    float x = i & 2047, y = i >> 11;
    return make_float2((x * COS - y * SIN + 0.5f) * scale, (x * SIN + y * COS + 0.5f) * scale);
}

__device__ float2 plane_random(unsigned i)
{
    unsigned h = hash(i);
    return make_float2((h & 0xffff) * (1.0f / 65536), (h >> 16) * (1.0f / 65536));
}

// Slices of 128 x 128 points, half a texel from one to the next.
__device__ float3 space_coherent(unsigned i)
{
    float x = i & 127, y = i >> 7 & 127, z = i >> 14;
    return make_float3((x * COS - y * SIN + 0.5f) * (1.0f / 128),
                       (x * SIN + y * COS + 0.5f) * (1.0f / 128), (z * 0.5f + 0.5f) * (1.0f / 128));
}

__device__ float3 space_random(unsigned i)
{
    unsigned h = hash(i);
    return make_float3((h & 2047) * (1.0f / 2048), (h >> 11 & 2047) * (1.0f / 2048),
                       (h >> 22) * (1.0f / 1024));
}

__device__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__device__ float4 widen(float4 v) { return v; }
__device__ float4 widen(float v) { return make_float4(v, 0, 0, 0); }

template <class Fetch>
__device__ void four(float4 *out, Fetch fetch)
{
    unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
    auto sum = fetch(first);
    for (unsigned k = 1; k < 4; k++)
        sum = sum + fetch(first + k * STRIDE);
    out[first] = widen(sum);
}

using Texture = cudaTextureObject_t;

#define KERNEL(name, ...) \
    extern "C" __global__ void name(float4 *out, Texture texture, float scale) \
    { \
        four(out, [=](unsigned i) { __VA_ARGS__; }); \
    }

KERNEL(rgba_coherent, float2 p = plane_coherent(i, scale); return tex2D<float4>(texture, p.x, p.y))
KERNEL(rgba_random, float2 p = plane_random(i); return tex2D<float4>(texture, p.x, p.y))

KERNEL(r_coherent, float2 p = plane_coherent(i, scale); return tex2D<float>(texture, p.x, p.y))
KERNEL(r_random, float2 p = plane_random(i); return tex2D<float>(texture, p.x, p.y))

KERNEL(volume_coherent, float3 p = space_coherent(i); return tex3D<float>(texture, p.x, p.y, p.z))
KERNEL(volume_random, float3 p = space_random(i); return tex3D<float>(texture, p.x, p.y, p.z))

KERNEL(level_coherent, float2 p = plane_coherent(i, scale); float level = 2 * (p.y - floorf(p.y));
       return tex2DLod<float4>(texture, p.x, p.y, level))
KERNEL(level_random, float2 p = plane_random(i);
       return tex2DLod<float4>(texture, p.x, p.y, 5 * p.x))

__device__ float4 fetch_gradient(Texture texture, float2 p)
{
    float q = (1 + 3 * (p.y - floorf(p.y))) * (1.0f / 1024);
    return tex2DGrad<float4>(texture, p.x, p.y, make_float2(q, 0), make_float2(0, q));
}

KERNEL(gradient_coherent, return fetch_gradient(texture, plane_coherent(i, scale)))
KERNEL(gradient_random, return fetch_gradient(texture, plane_random(i)))

KERNEL(cube_coherent, float2 p = plane_coherent(i, scale);
       return texCubemap<float4>(texture, p.x * 2 - 1, p.y * 2 - 1, 0.7f))
KERNEL(cube_random, float3 p = space_random(i);
       return texCubemap<float4>(texture, p.x - 0.5f, p.y - 0.5f, p.z - 0.5f))
