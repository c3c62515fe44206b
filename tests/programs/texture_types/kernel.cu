// All element types, through one texture each; gathers; residency.
extern "C" __global__ void texture_types(cudaTextureObject_t u8, cudaTextureObject_t s16, cudaTextureObject_t u32, cudaTextureObject_t f16, cudaTextureObject_t f32,
                                         cudaTextureObject_t norm, cudaTextureObject_t sparse, float4 *out)
{
    unsigned n = threadIdx.x, x = n % 4, y = n / 4;
    float4 *o = out + n;
    const int s = 16;
    uchar4 a = tex2D<uchar4>(u8, x + 0.5f, y + 0.5f);
    o[0 * s] = make_float4(a.x, a.y, a.z, a.w);
    short2 b = tex2D<short2>(s16, x + 0.5f, y + 0.5f);
    o[1 * s] = make_float4(b.x, b.y, 0.0f, 0.0f);
    unsigned c = tex2D<unsigned>(u32, x + 0.5f, y + 0.5f);
    o[2 * s] = make_float4(c >> 16, c & 0xffff, 0.0f, 0.0f);
    o[3 * s] = tex2D<float4>(f16, x + 0.5f, y + 0.5f);
    o[4 * s] = tex2D<float4>(norm, x + 0.5f, y + 0.5f);
    // Between four texels: (x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y).
    o[5 * s] = tex2Dgather<float4>(f32, x + 1.0f, y + 1.0f, 0);
    o[6 * s] = tex2Dgather<float4>(f32, x + 1.0f, y + 1.0f, 1);
    o[7 * s] = tex2Dgather<float4>(f32, x + 1.0f, y + 1.0f, 2);
    o[8 * s] = tex2Dgather<float4>(f32, x + 1.0f, y + 1.0f, 3);
    uchar4 e = tex2Dgather<uchar4>(u8, x + 1.0f, y + 1.0f, 2);
    o[9 * s] = make_float4(e.x, e.y, e.z, e.w);
    // The right half of the texture is not in memory.
    bool here, there;
    float v = tex2D<float>(sparse, n * 16.0f + 8.0f, 3.0f, &here), w = tex2DLod<float>(sparse, n * 16.0f + 8.0f, 3.0f, 0.0f, &there);
    float4 g = make_float4(v, w, here, there);
    o[10 * s] = g;
}
