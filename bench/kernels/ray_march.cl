// Twin of ray_march.cu, with an image.
__constant sampler_t how = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__kernel void ray_march(__read_only image3d_t volume, __global float *out, uint width, uint height, uint steps, float slope)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height)
        return;
    float u = (x + 0.5f) / width, v = (y + 0.5f) / height, step = 1.0f / steps;
    float du = (u - 0.5f) * slope * step, dv = (v - 0.5f) * slope * step;
    float light = 1, sum = 0, w = 0.5f * step;
    for (uint k = 0; k < steps && light > 0.01f; k++) {
        float density = read_imagef(volume, how, (float4)(u, v, w, 0)).x;
        float share = density * step * 4;
        sum += light * share * density;
        light *= 1 - share;
        u += du;
        v += dv;
        w += step;
    }
    out[y * width + x] = sum;
}
