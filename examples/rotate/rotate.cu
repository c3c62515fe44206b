// Turns a picture about its centre. One fetch a pixel: RGBA8 read as normalized float, linear filter,
// wrap, normalized coordinates, so the picture goes on past its edges as a tiling.
//
// The job passes the cosine and the sine of the angle; the sums are written as fmaf, so that every
// rounding stands in the PTX and no assembler has a choice left.
//
//   nvcc -arch=compute_75 -ptx -O3 rotate.cu -o rotate.ptx          (CUDA 13.5)

extern "C" __global__ void rotate(cudaTextureObject_t picture, uchar4 *out,
                                  unsigned width, unsigned height, float cosine, float sine)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;

    float u = (x + 0.5f) / width - 0.5f;
    float v = (y + 0.5f) / height - 0.5f;
    float s = fmaf(u, cosine, fmaf(-v, sine, 0.5f));
    float t = fmaf(v, cosine, fmaf(u, sine, 0.5f));

    float4 p = tex2D<float4>(picture, s, t);
    out[y * width + x] = make_uchar4(fmaf(p.x, 255.0f, 0.5f), fmaf(p.y, 255.0f, 0.5f),
                                     fmaf(p.z, 255.0f, 0.5f), fmaf(p.w, 255.0f, 0.5f));
}
