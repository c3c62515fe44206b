// What is often meant so (a note), what is hardly meant so (a warning), and what is undefined (an error).
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

struct Pair {
    char tag;
    double value;
};

__global__ void pairs(Pair *out) {
    out[threadIdx.x].tag = 1;
    out[threadIdx.x].value = threadIdx.x;
}

__global__ void corners(cudaTextureObject_t tex, float *out) {
    float4 c = tex2Dgather<float4>(tex, threadIdx.x + 1.f, 1.f); // finding[texture-gather-flag]: a gather from
    out[threadIdx.x] = c.x + c.y + c.z + c.w;
}

__global__ void shared(int *out) {
    out[threadIdx.x / 2] = threadIdx.x; // finding[race-write-after-write]: stores to
}

static void note() {
    Pair *pairs_, host[4];
    cudaMalloc(&pairs_, sizeof host);
    pairs<<<1, 4>>>(pairs_);
    cudaMemcpy(host, pairs_, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[3].value);
    cudaFree(pairs_);
}

static void gather(unsigned flags) {
    float host[64], *out;
    for (int i = 0; i < 64; i++) host[i] = i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 8, 8, flags);
    cudaMemcpy2DToArray(array, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t tex;
    cudaCreateTextureObject(&tex, &resource, &desc, nullptr);
    cudaMalloc(&out, 16);
    corners<<<1, 4>>>(tex, out);
    cudaMemcpy(host, out, 16, cudaMemcpyDeviceToHost);
    printf("%g\n", host[3]);
    cudaDestroyTextureObject(tex);
    cudaFreeArray(array);
    cudaFree(out);
}

int main(int count, char **words) {
    for (int i = 1; i < count; i++) {
        if (!strcmp(words[i], "note")) note();
        if (!strcmp(words[i], "warning")) gather(0);
        if (!strcmp(words[i], "right")) gather(cudaArrayTextureGather); // right[texture-gather-flag]: it has the flag
        if (!strcmp(words[i], "error")) {
            int *out;
            cudaMalloc(&out, 256);
            shared<<<1, 64>>>(out);
            cudaDeviceSynchronize();
            cudaFree(out);
        }
    }
    return 0;
}
