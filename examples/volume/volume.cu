// Marches rays through a volume. tex3D reads the density (8 bits, normalized, linear, border), tex1D
// the colour and opacity that belong to it. Rays leave the cube, cross empty space and grow opaque at
// different steps: the warp diverges all the time.
//
//   nvrtc 12.9 through ../nvrtc.py: nvrtc.py --gpu-architecture=compute_75 --fmad=false volume.cu volume.ptx

extern "C" __global__ void volume(cudaTextureObject_t density, cudaTextureObject_t colours, uchar4 *out,
                                  int width, int height, int steps, float cosine, float sine)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    // A parallel view of the unit cube, turned by the job's angle, from above by the angle of a 3-4-5 triangle.
    float a = ((x + 0.5f) / width - 0.5f) * 1.125f;
    float b = (0.5f - (y + 0.5f) / height) * 1.125f;
    float3 forward = make_float3(0.8f * sine, -0.6f, 0.8f * cosine);
    float3 origin = make_float3(0.5f + a * cosine + b * (0.6f * sine), 0.5f + b * 0.8f,
                                0.5f - a * sine + b * (0.6f * cosine));
    float step = 1.75f / steps;

    float red = 0.0f, green = 0.0f, blue = 0.0f, clear = 1.0f;
    for (int i = 0; i < steps; ++i) {
        float k = (i + 0.5f) * step - 0.875f;
        float px = origin.x + k * forward.x, py = origin.y + k * forward.y, pz = origin.z + k * forward.z;
        if (px < 0.0f || px > 1.0f || py < 0.0f || py > 1.0f || pz < 0.0f || pz > 1.0f)
            continue;
        float here = tex3D<float>(density, px, py, pz);
        if (here < 0.15f)
            continue;
        float4 c = tex1D<float4>(colours, here);
        // Brighter where the density falls towards the lamp.
        float there = tex3D<float>(density, px - 0.03f, py + 0.05f, pz - 0.03f);
        float light = 0.35f + fmaxf(here - there, 0.0f) * 2.5f;
        float share = clear * c.w;
        red += share * (c.x * light);
        green += share * (c.y * light);
        blue += share * (c.z * light);
        clear -= share;
        if (clear < 0.03f)
            break;
    }
    float haze = clear * (0.25f - 0.15f * ((float)y / height));
    red = __saturatef(red + haze * 0.6f);
    green = __saturatef(green + haze * 0.8f);
    blue = __saturatef(blue + haze);
    out[y * width + x] = make_uchar4(red * 255.0f + 0.5f, green * 255.0f + 0.5f, blue * 255.0f + 0.5f, 255);
}
