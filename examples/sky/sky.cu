// A mirror ball by day and by night: two cube maps in one layered texture. Behind it the night's
// landscape out of focus, from a smaller mip level of its cube map alone.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false sky.cu -o sky.ptx

extern "C" __global__ void ball(cudaTextureObject_t skies, cudaTextureObject_t night, uchar4 *out,
                                int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float u = (x + 0.5f) / size * 2.5f - 1.25f;
    float v = 1.25f - (y + 0.5f) / size * 2.5f;
    float r = u * u + v * v;
    float4 c;
    if (r < 1) {
        // The ray (0, 0, -1) off the sphere's normal (u, v, n).
        float n = sqrtf(1 - r);
        c = texCubemapLayered<float4>(skies, 2 * n * u, 2 * n * v, 2 * n * n - 1, u > v);
    } else {
        c = texCubemapLod<float4>(night, u, v, -1.75f, 2);
    }
    out[y * size + x] =
        make_uchar4(fmaf(c.x, 255, 0.5f), fmaf(c.y, 255, 0.5f), fmaf(c.z, 255, 0.5f), 255);
}
