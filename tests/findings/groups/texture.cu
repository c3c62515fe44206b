// check: texture
// Judged by lines of the source, whatever the compiler has unrolled.

//|| [params.1]
//|| buffer = { zeros = 4096 }
//|| [params.2]
//|| surface = { zeros = true, width = 16, height = 16, format = "f32" }
//|| [params.0]
//|| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear" }

// Rays that enter and leave.
//| # groups 0
//| grid = 1
//| block = 16
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear", address = "border" }
extern "C" __global__ void rays(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    float s = 0;
    for (int k = 0; k < 28; ++k) s += tex2D<float>(t, k - 6 + .5f, threadIdx.x + .5f);
    o[threadIdx.x] = s;
}

// Long ones are most of the time outside, where the border is: a note.
//| # groups 1
//| grid = 1
//| block = 16
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear", address = "border" }
extern "C" __global__ void long_rays(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    float s = 0;
    for (int k = 0; k < 48; ++k) s += tex2D<float>(t, k - 16 + .5f, threadIdx.x + .5f); // finding[texture-outside]: 496 of 768 footprints lie outside of the texture of 16 x 16 texels, most of them where the border is read
    o[threadIdx.x] = s;
}

// The same where texels of the edge are read.
//| # groups 1
//| grid = 1
//| block = 16
extern "C" __global__ void clamped(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    float s = 0;
    for (int k = 0; k < 48; ++k) s += tex2D<float>(t, k - 16 + .5f, threadIdx.x + .5f); // finding[texture-outside]: 496 of 768 footprints lie outside of the texture of 16 x 16 texels
    o[threadIdx.x] = s;
}

// A blur whose outermost taps are outside at one side.
//| # groups 0
//| grid = 1
//| block = [16, 16]
extern "C" __global__ void blur(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    float s = 0;
    for (int i = -12; i <= 12; i++) s += tex2D<float>(t, threadIdx.x + i + .5f, threadIdx.y + .5f);
    o[threadIdx.y * 16 + threadIdx.x] = s;
}

// A grid that is larger than the picture, and stores that the mode drops.
//| # groups 0
//| grid = [3, 3]
//| block = [16, 8]
extern "C" __global__ void padded(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf) // right[texture-outside]: nobody gets what is fetched outside
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int i = -1; i <= 1; i++) s += tex2D<float>(t, x + i + .5f, y + .5f);
    surf2Dwrite(s / 3, surf, x * 4, y, cudaBoundaryModeZero);
}

// The same, and stored elsewhere.
//| # groups 1
//| grid = [3, 3]
//| block = [16, 8]
extern "C" __global__ void padded_and_kept(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = tex2D<float>(t, x + .5f, y + .5f); // finding[texture-outside]: 896 of 1152 footprints
    surf2Dwrite(s, surf, (x & 15) * 4, y & 15, cudaBoundaryModeZero);
}

// Half a texel is forgotten.
//| # groups 1
//| grid = 1
//| block = [8, 8]
extern "C" __global__ void half_texel(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 8 + threadIdx.x] = tex2D<float>(t, threadIdx.x, threadIdx.y); // finding[texture-half-texel]: 64 of 64 fetches with a linear filter have whole coordinates
}

// In an unrolled loop.
//| # groups 1
//| grid = 1
//| block = [8, 8]
extern "C" __global__ void half_texel_in_a_loop(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    float s = 0;
    for (int i = 0; i < 3; i++) s += tex2D<float>(t, threadIdx.x + i, threadIdx.y); // finding[texture-half-texel]: 192 of 192 fetches
    o[threadIdx.y * 8 + threadIdx.x] = s;
}

// With normalized coordinates, multiples of 1/16.
//| # groups 1
//| grid = 1
//| block = [8, 8]
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear", normalized = true }
extern "C" __global__ void half_texel_normalized(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 8 + threadIdx.x] = tex2D<float>(t, threadIdx.x / 16.f, threadIdx.y / 16.f); // finding[texture-half-texel]: 64 of 64 fetches
}

// The middle of texels, and a picture that is made half as large.
//| # groups 0
//| grid = 1
//| block = [8, 8]
extern "C" __global__ void middles(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf) // right[texture-half-texel]: middles, and means of four texels that are meant
{
    float a = tex2D<float>(t, threadIdx.x + .5f, threadIdx.y + .5f);
    float b = tex2D<float>(t, 2 * threadIdx.x + 1, 2 * threadIdx.y + 1);
    o[threadIdx.y * 8 + threadIdx.x] = a + b;
}

// A point filter has whole coordinates.
//| # groups 0
//| grid = 1
//| block = [8, 8]
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32" }
extern "C" __global__ void points(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 8 + threadIdx.x] = tex2D<float>(t, threadIdx.x, threadIdx.y);
}

// A real wrap would read the last texel beside the first one.
//| # groups 1
//| grid = 1
//| block = 16
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear", address = "wrap" }
extern "C" __global__ void wraps(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.x] = tex2D<float>(t, threadIdx.x + .25f, 8.5f); // finding[texture-address-mode]: address mode of x: wrap acts as clamp
}

// No footprint is beyond an edge.
//| # groups 0
//| grid = 1
//| block = 16
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear", address = "wrap" }
extern "C" __global__ void wraps_nothing(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.x] = tex2D<float>(t, threadIdx.x + .5f, 8.25f);
}
