// check: texture
// Textures and surfaces.

//|| [params.1]
//|| buffer = { zeros = 4096 }
//|| [params.2]
//|| surface = { zeros = true, width = 16, height = 16, format = "f32" }
//|| [params.0]
//|| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear" }

//| # groups 0
//| grid = 1
//| block = [16, 16]
extern "C" __global__ void middles(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 16 + threadIdx.x] = tex2D<float>(t, threadIdx.x + .5f, threadIdx.y + .5f);
}

//| # groups 1
//| grid = 1
//| block = [16, 16]
extern "C" __global__ void corners(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 16 + threadIdx.x] = tex2D<float>(t, threadIdx.x, threadIdx.y); // finding[texture-half-texel]: fetches with a linear filter
}

// Coordinates from 0 to 1 of a texture that counts texels.
//| # groups 1
//| grid = 1
//| block = [16, 16]
extern "C" __global__ void fractions(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 16 + threadIdx.x] = tex2D<float>(t, (threadIdx.x + .5f) / 16, (threadIdx.y + .5f) / 16); // finding[texture-coordinates]: all coordinates of 256 fetches
}

// The other way round.
//| # groups 1
//| grid = 1
//| block = [16, 16]
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear", normalized = true }
extern "C" __global__ void in_texels(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 16 + threadIdx.x] = tex2D<float>(t, threadIdx.x + .5f, threadIdx.y + .5f); // finding[texture-coordinates]: multiples of 1/2
}

// A picture whose width is taken for another one.
//| # groups 1
//| grid = 1
//| block = [16, 16]
extern "C" __global__ void beside(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 16 + threadIdx.x] = tex2D<float>(t, threadIdx.x * 3 + .5f, threadIdx.y + .5f); // finding[texture-outside]: footprints lie outside
}

// Wrap, which needs coordinates from 0 to 1.
//| # groups 1
//| grid = 1
//| block = [16, 16]
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, format = "f32", filter = "linear", address = "wrap" }
extern "C" __global__ void around(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 16 + threadIdx.x] = tex2D<float>(t, threadIdx.x + 4.5f, threadIdx.y + .5f); // finding[texture-address-mode]: address mode of x: wrap acts as clamp
}

// A root of a negative number.
//| # groups 1
//| grid = 1
//| block = [16, 16]
extern "C" __global__ void roots(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    o[threadIdx.y * 16 + threadIdx.x] = tex2D<float>(t, sqrtf(threadIdx.x - 1.f) + .5f, threadIdx.y + .5f); // finding[texture-nan]: have a NaN
}

// Layer 3 of 3.
//| # groups 1
//| grid = 1
//| block = [16, 16]
//| [params.0]
//| texture = { texels = { ramp = [0, 1] }, width = 16, height = 16, geometry = "a2d", layers = 3, format = "f32", filter = "linear" }
extern "C" __global__ void layers(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    float sum = 0;
    for (int l = 1; l <= 3; l++) sum += tex2DLayered<float>(t, threadIdx.x + .5f, threadIdx.y + .5f, l); // finding[texture-layer]: layer 3 is fetched, and there are 3
    o[threadIdx.y * 16 + threadIdx.x] = sum;
}

// One element past the end of linear memory.
//| # groups 1
//| grid = 1
//| block = 64
//| [params.0]
//| texture = { buffer = "1", width = 64, format = "f32" }
extern "C" __global__ void past(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    float next = tex1Dfetch<float>(t, threadIdx.x + 1); // finding[texture-fetch-past-end]: element 64 is fetched of 64
    o[128 + threadIdx.x] = next;
}

// Memory that is stored to while a texture over it is read.
//| # groups 1
//| grid = 2
//| block = 32
//| [params.0]
//| texture = { buffer = "1", width = 64, format = "f32" }
extern "C" __global__ void in_place(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    float left = tex1Dfetch<float>(t, max(i - 1, 0)); // finding[texture-written]: a texel is fetched that this launch writes
    o[i] = left + 1;
}

// Each thread its own element.
//| # groups 0
//| grid = 2
//| block = 32
//| [params.0]
//| texture = { buffer = "1", width = 64, format = "f32" }
extern "C" __global__ void in_place_right(cudaTextureObject_t t, float *o, cudaSurfaceObject_t surf)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    o[i] = tex1Dfetch<float>(t, i) + 1;
}
