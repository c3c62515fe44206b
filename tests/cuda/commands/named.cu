// What messages call memory, texels and parameters. `named MAKER`: a kernel that reads past the end of what the function has
// made, or with another word one that races in it; `named texel`: a kernel hands on a texel that nobody has written; `named refused`: calls with a wrong parameter.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void read(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x + 1] + 1.0f; }

__global__ void race(float *out) { out[threadIdx.x & 31] = threadIdx.x; }

__global__ void fetch(cudaTextureObject_t texture, float *out) { out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 1.5f); }

__host__ float *make(const char *name)
{
    float *made = nullptr;
    size_t pitch = 0;
    cudaPitchedPtr box = {};
    CUdeviceptr own = 0;
    if (!strcmp(name, "cudaMalloc")) cudaMalloc(&made, 512);
    if (!strcmp(name, "cudaMallocPitch")) cudaMallocPitch(&made, &pitch, 512, 1);
    if (!strcmp(name, "cudaMalloc3D")) cudaMalloc3D(&box, make_cudaExtent(512, 1, 1)), made = (float *)box.ptr;
    if (!strcmp(name, "cudaMallocManaged")) cudaMallocManaged(&made, 512);
    if (!strcmp(name, "cudaMallocHost")) cudaMallocHost((void **)&made, 512);
    if (!strcmp(name, "cudaHostAlloc")) cudaHostAlloc(&made, 512, cudaHostAllocMapped);
    if (!strcmp(name, "cudaMallocAsync")) cudaMallocAsync(&made, 512, 0);
    if (!strcmp(name, "cuMemAlloc")) cudaFree(0), cuMemAlloc(&own, 512), made = (float *)own;
    if (!strcmp(name, "cuMemAllocManaged")) cudaFree(0), cuMemAllocManaged(&own, 512, 1), made = (float *)own;
    return made;
}

static void texel(float *out)
{
    float row[8] = {}, host[8];
    auto format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 8, 2);
    cudaMemcpy2DToArray(array, 0, 0, row, 32, 32, 1, cudaMemcpyHostToDevice);
    cudaMemcpy2DToArray(array, 0, 1, row, 24, 24, 1, cudaMemcpyHostToDevice);
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    of.res.array.array = array;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &of, &how, nullptr);
    fetch<<<1, 8>>>(texture, out);
    cudaMemcpy(host, out, 32, cudaMemcpyDeviceToHost);
    cudaMemcpy2DFromArray(host, 32, array, 0, 1, 32, 1, cudaMemcpyDeviceToHost);
}

static void refused()
{
    float row[8] = {};
    auto format = cudaCreateChannelDesc<float>();
    cudaArray_t array, three;
    cudaMallocArray(&array, &format, 8, 2);
    cudaMemcpy2DToArray(array, 16, 0, row, 32, 32, 1, cudaMemcpyHostToDevice);
    cudaMemcpy2DToArray(array, 2, 0, row, 32, 4, 1, cudaMemcpyHostToDevice);
    cudaMemcpy2DFromArray(row, 32, array, 0, 2, 32, 1, cudaMemcpyDeviceToHost);
    cudaMemcpy2DToArray(array, 0, 0, row, 64, 64, 1, cudaMemcpyHostToDevice);
    auto rgb = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    cudaMallocArray(&three, &rgb, 8, 2);
}

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    float *out, *in = make(name);
    cudaMalloc(&out, 1024);
    if (!strcmp(name, "texel")) texel(out);
    if (!strcmp(name, "refused")) refused();
    if (in && count > 2) race<<<1, 64>>>(in);
    if (in) read<<<1, count > 2 ? 64 : 160>>>(in, out);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
