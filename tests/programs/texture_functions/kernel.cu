// Every texture function of CUDA C++ that reads a texel: geometries, levels, gradients, gathers, residency. The texels say where they
// lie, so that a wrong layer, level, face or coordinate shows.

struct Textures {
    cudaTextureObject_t line, d1, d2, d3, a1, a2, cube, acube, other;
};

// Half a texel from the edge of texel i of n.
__device__ float at(unsigned i, int n) { return (i + 0.5f) / n; }

// A direction through texel (i, j) of a face of 4 x 4 texels.
__device__ float3 direction(unsigned face, unsigned i, unsigned j)
{
    float s = (2.0f * i + 1.0f) / 4.0f - 1.0f, t = (2.0f * j + 1.0f) / 4.0f - 1.0f;
    switch (face) {
    case 0: return make_float3(1.0f, -t, -s);
    case 1: return make_float3(-1.0f, -t, s);
    case 2: return make_float3(s, 1.0f, t);
    case 3: return make_float3(s, -1.0f, -t);
    case 4: return make_float3(s, -t, 1.0f);
    default: return make_float3(-s, -t, -1.0f);
    }
}

extern "C" __global__ void texture_functions(Textures t, float *out)
{
    unsigned n = threadIdx.x, x = n % 8, y = n / 8 % 4, z = n / 16, face = n % 6, i = n / 6 % 4, j = n / 24 % 4;
    float *o = out + n;
    const int s = 32;
    o[0 * s] = tex1Dfetch<float>(t.line, n);
    o[1 * s] = tex1D<float>(t.d1, at(x, 8));
    o[2 * s] = tex2D<float>(t.d2, at(x, 8), at(y, 4));
    o[3 * s] = tex3D<float>(t.d3, at(x, 8), at(y, 4), at(z, 2));
    o[4 * s] = tex1DLayered<float>(t.a1, at(x, 8), z);
    o[5 * s] = tex2DLayered<float>(t.a2, at(x, 8), at(y, 4), z);
    float3 d = direction(face, i, j);
    o[6 * s] = texCubemap<float>(t.cube, d.x, d.y, d.z);
    o[7 * s] = texCubemapLayered<float>(t.acube, d.x, d.y, d.z, z);
    // Level 1 is half as large: texel x / 2.
    o[8 * s] = tex1DLod<float>(t.d1, at(x, 8), 1.0f);
    o[9 * s] = tex2DLod<float>(t.d2, at(x, 8), at(y, 4), y);
    o[10 * s] = tex3DLod<float>(t.d3, at(x, 8), at(y, 4), at(z, 2), 1.0f);
    o[11 * s] = tex1DLayeredLod<float>(t.a1, at(x, 8), z, 2.0f);
    o[12 * s] = tex2DLayeredLod<float>(t.a2, at(x, 8), at(y, 4), z, 1.0f);
    o[13 * s] = texCubemapLod<float>(t.cube, d.x, d.y, d.z, 1.0f);
    o[14 * s] = texCubemapLayeredLod<float>(t.acube, d.x, d.y, d.z, z, 1.0f);
    // A gradient of two texels is level 1, of four level 2, of one texel along both axes level 0.
    o[15 * s] = tex1DGrad<float>(t.d1, at(x, 8), 0.25f, 0.0f);
    o[16 * s] = tex2DGrad<float>(t.d2, at(x, 8), at(y, 4), make_float2(0.0f, 0.25f), make_float2(n < 16 ? 0.5f : 0.125f, 0.0f));
    o[17 * s] = tex3DGrad<float>(t.d3, at(x, 8), at(y, 4), at(z, 2), make_float4(0.25f, 0.0f, 0.0f, 0.0f), make_float4(0.0f, 0.0f, 0.0f, 0.0f));
    o[18 * s] = tex1DLayeredGrad<float>(t.a1, at(x, 8), z, 0.0f, 0.5f);
    o[19 * s] = tex2DLayeredGrad<float>(t.a2, at(x, 8), at(y, 4), z, make_float2(0.125f, 0.0f), make_float2(0.0f, 0.5f));
    // Past the edges: these textures clamp. Past the last layer: the last.
    o[20 * s] = tex2D<float>(t.d2, -3.0f, 7.0f);
    o[21 * s] = tex2DLayered<float>(t.a2, at(x, 8), at(y, 4), 100 + n);
    o[22 * s] = tex1Dfetch<float>(t.line, n < 16 ? -1 - (int)n : 32 + n);
    // Lanes that differ: each with its own texture.
    o[23 * s] = tex2D<float>(n & 1 ? t.d2 : t.other, at(x, 8), at(y, 4));
}
