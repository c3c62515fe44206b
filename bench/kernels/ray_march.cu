// Rays through a 3D texture, front to back, until hardly any light comes through; trilinear.
extern "C" __global__ void __launch_bounds__(256) ray_march(cudaTextureObject_t volume, float *out, unsigned width,
    unsigned height, unsigned steps, float slope)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float u = (x + 0.5f) / width, v = (y + 0.5f) / height, step = 1.0f / steps;
    float du = (u - 0.5f) * slope * step, dv = (v - 0.5f) * slope * step;
    float light = 1, sum = 0, w = 0.5f * step;
    for (unsigned k = 0; k < steps && light > 0.01f; k++) {
        float density = tex3D<float>(volume, u, v, w);
        float share = density * step * 4;
        sum += light * share * density;
        light *= 1 - share;
        u += du;
        v += dv;
        w += step;
    }
    out[y * width + x] = sum;
}
