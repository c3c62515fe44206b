// check: texture
// Texture objects and surfaces.

//|| [params.1]
//|| buffer = { zeros = 4096 }
//|| output = { file = "out.bin" }
//|| [params.2]
//|| surface = { zeros = true, width = 16, height = 16, format = "f32" }

//| grid = [2, 2]
//| block = [8, 8]
//| [params.0]
//| texture = { zeros = true, width = 16, height = 16, format = "f32", filter = "linear" }
extern "C" __global__ void texels(cudaTextureObject_t tex, float *out, cudaSurfaceObject_t surf)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * 16 + x] = tex2D<float>(tex, x + 0.5f, y + 0.5f);
}

// `normalizedCoords` is 0.
//| grid = [2, 2]
//| block = [8, 8]
//| [params.0]
//| texture = { zeros = true, width = 16, height = 16, format = "f32", filter = "linear" }
extern "C" __global__ void fractions(cudaTextureObject_t tex, float *out, cudaSurfaceObject_t surf)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * 16 + x] = tex2D<float>(tex, (x + 0.5f) / 16, (y + 0.5f) / 16); // finding[texture-coordinates]: all coordinates of 256 fetches lie between 0 and 1
}

// One channel, and four are used.
//| grid = 1
//| block = [8, 8]
//| [params.0]
//| texture = { zeros = true, width = 16, height = 16, format = "u8", read = "normalized" }
extern "C" __global__ void colours(cudaTextureObject_t tex, float *out, cudaSurfaceObject_t surf)
{
    int x = threadIdx.x, y = threadIdx.y;
    float4 c = tex2D<float4>(tex, x, y); // finding[texture-channel]: the kernel uses g and b of this fetch
    out[y * 16 + x] = c.x + c.y + c.z;
}

// A neighbour past the end of linear memory.
//| grid = 1
//| block = 64
//| [params.0]
//| texture = { buffer = "1", width = 64, format = "f32" }
extern "C" __global__ void next(cudaTextureObject_t tex, float *out, cudaSurfaceObject_t surf)
{
    float a = tex1Dfetch<float>(tex, threadIdx.x + 1); // finding[texture-fetch-past-end]: element 64 is fetched of 64
    out[threadIdx.x + 128] = a;
}

// In place, each thread its own element.
//| grid = 1
//| block = 64
//| [params.0]
//| texture = { buffer = "1", width = 64, format = "f32" }
extern "C" __global__ void in_place(cudaTextureObject_t tex, float *out, cudaSurfaceObject_t surf)
{
    out[threadIdx.x] = tex1Dfetch<float>(tex, threadIdx.x) + 1;
}

// In place, that of another one.
//| grid = 1
//| block = 64
//| [params.0]
//| texture = { buffer = "1", width = 64, format = "f32" }
extern "C" __global__ void turned(cudaTextureObject_t tex, float *out, cudaSurfaceObject_t surf)
{
    float a = tex1Dfetch<float>(tex, 63 - threadIdx.x); // finding[texture-written]: a texel is fetched that this launch writes
    out[threadIdx.x] = a + 1;
}

// A surface is written, and read as a texture.
//| grid = 1
//| block = [8, 8]
//| [params.0]
//| texture = { surface = "2" }
extern "C" __global__ void both(cudaTextureObject_t tex, float *out, cudaSurfaceObject_t surf)
{
    int x = threadIdx.x, y = threadIdx.y;
    surf2Dwrite(1.0f * x, surf, x * 4, y);
    __syncthreads();
    out[y * 8 + x] = tex2D<float>(tex, y, x); // finding[texture-surface-written]: writes through a surface
}

// `x` should be `x * sizeof(float)`.
//| # faults
//| grid = 1
//| block = [8, 8]
//| [params.0]
//| texture = { zeros = true, width = 16, height = 16, format = "f32" }
extern "C" __global__ void elements(cudaTextureObject_t tex, float *out, cudaSurfaceObject_t surf)
{
    int x = threadIdx.x, y = threadIdx.y;
    out[y * 8 + x] = surf2Dread<float>(surf, x, y); // finding[texture-surface-x]: it looks like a number of elements
}
