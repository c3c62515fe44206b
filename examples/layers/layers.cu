// Three grounds in the layers of one texture, blended from bottom to top; a tint for each from a
// layered 1D texture; a frame from a layered 1D surface. The result goes to layer 0 of a layered
// surface, the blend factor to layer 1.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false layers.cu -o layers.ptx

extern "C" __global__ void blend(cudaTextureObject_t grounds, cudaTextureObject_t tints,
                                 cudaSurfaceObject_t frame, cudaSurfaceObject_t out, int size)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= size || y >= size)
        return;
    float u = (x + 0.5f) / size, v = (y + 0.5f) / size;
    float at = v * 2;
    int layer = at;
    float a = at - layer;
    float4 p = tex2DLayered<float4>(grounds, u * 3, v * 3, layer);
    float4 q = tex2DLayered<float4>(grounds, u * 3, v * 3, layer + 1);
    float4 t = tex1DLayered<float4>(tints, u, layer);
    float3 c = make_float3((p.x + (q.x - p.x) * a) * t.x, (p.y + (q.y - p.y) * a) * t.y,
                           (p.z + (q.z - p.z) * a) * t.z);
    uchar4 pixel = make_uchar4(c.x * 255 + 0.5f, c.y * 255 + 0.5f, c.z * 255 + 0.5f, 255);
    // Layer 0 of the frame is its top, layer 1 its bottom; a clear pixel shows the ground.
    if (y < 4 || y >= size - 4) {
        uchar4 f = surf1DLayeredread<uchar4>(frame, x * 4, y < 4 ? 0 : 1, cudaBoundaryModeClamp);
        if (f.w)
            pixel = f;
    }
    surf2DLayeredwrite(pixel, out, x * 4, y, 0);
    unsigned char share = a * 255 + 0.5f;
    surf2DLayeredwrite(make_uchar4(share, share, share, 255), out, x * 4, y, 1);
}
