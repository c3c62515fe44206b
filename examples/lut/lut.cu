// A photograph graded by a table of colours: each pixel is looked up in a small cube.
//
//   nvcc -arch=compute_75 -ptx -O3 -fmad=false lut.cu -o lut.ptx

extern "C" __global__ void grade(cudaTextureObject_t picture, cudaTextureObject_t table,
                                 uchar4 *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float4 p = tex2D<float4>(picture, x + 0.5f, y + 0.5f);
    // From the centre of the first of 16 texels to the centre of the last.
    float4 q = tex3D<float4>(table, fmaf(p.x, 0.9375f, 0.03125f), fmaf(p.y, 0.9375f, 0.03125f),
                             fmaf(p.z, 0.9375f, 0.03125f));
    out[y * width + x] =
        make_uchar4(fmaf(q.x, 255, 0.5f), fmaf(q.y, 255, 0.5f), fmaf(q.z, 255, 0.5f), 255);
}
