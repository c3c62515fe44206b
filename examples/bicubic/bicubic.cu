// Enlarges a picture with the cubic B-spline: sixteen texels a pixel from four bilinear fetches, whose
// positions are moved so that the unit's own blend gives the spline's weights (Sigg and Hadwiger,
// "Fast third-order texture filtering", GPU Gems 2).
//
//   nvrtc 12.9 through ../nvrtc.py: nvrtc.py --gpu-architecture=compute_75 --fmad=false bicubic.cu bicubic.ptx

__device__ float w0(float a) { return (1.0f / 6.0f) * (a * (a * (-a + 3.0f) - 3.0f) + 1.0f); }
__device__ float w1(float a) { return (1.0f / 6.0f) * (a * a * (3.0f * a - 6.0f) + 4.0f); }
__device__ float w2(float a) { return (1.0f / 6.0f) * (a * (a * (-3.0f * a + 3.0f) + 3.0f) + 1.0f); }
__device__ float w3(float a) { return (1.0f / 6.0f) * (a * a * a); }

// The two fetches of one axis: their weights, and their distances from the texel's left edge.
struct Axis {
    float g0, g1, h0, h1;
    __device__ Axis(float a)
    {
        g0 = w0(a) + w1(a);
        g1 = w2(a) + w3(a);
        h0 = w1(a) / g0 - 0.5f;
        h1 = w3(a) / g1 + 1.5f;
    }
};

__device__ unsigned char blend(const Axis &x, const Axis &y, float a, float b, float c, float d)
{
    float value = y.g0 * (x.g0 * a + x.g1 * b) + y.g1 * (x.g0 * c + x.g1 * d);
    return (unsigned char)(__saturatef(value) * 255.0f + 0.5f);
}

__global__ void bicubic(cudaTextureObject_t picture, uchar4 *out, int width, int height,
                        float scale_x, float scale_y)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    float u = (x + 0.5f) * scale_x - 0.5f, v = (y + 0.5f) * scale_y - 0.5f;
    float i = floorf(u), j = floorf(v);
    Axis ax(u - i), ay(v - j);

    float4 a = tex2D<float4>(picture, i + ax.h0, j + ay.h0);
    float4 b = tex2D<float4>(picture, i + ax.h1, j + ay.h0);
    float4 c = tex2D<float4>(picture, i + ax.h0, j + ay.h1);
    float4 d = tex2D<float4>(picture, i + ax.h1, j + ay.h1);
    out[y * width + x] = make_uchar4(blend(ax, ay, a.x, b.x, c.x, d.x), blend(ax, ay, a.y, b.y, c.y, d.y),
                                     blend(ax, ay, a.z, b.z, c.z, d.z), blend(ax, ay, a.w, b.w, c.w, d.w));
}
