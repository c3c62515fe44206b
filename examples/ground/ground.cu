// A plain of tiles that goes to the horizon. Left: always the base level, which flickers. Right:
// the derivatives of the coordinates choose the mip level, and two levels are blended.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false ground.cu -o ground.ptx

extern "C" __global__ void ground(cudaTextureObject_t tiles, uchar4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    // A row `down` below the horizon shows the ground at the distance 1 / down.
    float down = (y + 1.0f) / height;
    float far = 1 / down;
    float side = (x + 0.5f) / width - 0.5f;
    float u = side * far, v = far * 0.5f;
    float4 c;
    if (x < width / 2) {
        c = tex2DLod<float4>(tiles, u, v, 0);
    } else {
        // From a pixel to the one right of it, and to the one below.
        float2 dx = make_float2(far / width, 0);
        float step = -(far * far) / height;
        float2 dy = make_float2(side * step, 0.5f * step);
        c = tex2DGrad<float4>(tiles, u, v, dx, dy);
    }
    out[y * width + x] =
        make_uchar4(fmaf(c.x, 255, 0.5f), fmaf(c.y, 255, 0.5f), fmaf(c.z, 255, 0.5f), 255);
}
