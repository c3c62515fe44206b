// A kernel that writes behind its buffer: for the tests of `texunit run`.
#include <cstdio>

__global__ void behind(int *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x);
}

int main()
{
    int *out;
    cudaMalloc(&out, 128);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = out;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = 128;
    cudaTextureDesc sampler = {};
    cudaTextureObject_t texture;
    cudaError_t error = cudaCreateTextureObject(&texture, &resource, &sampler, nullptr);
    printf("%s\n", cudaGetErrorName(error));
    behind<<<1, 64>>>(out, texture);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%s\n", cudaGetErrorName(cudaMalloc(&out, 16)));
    return 0;
}
