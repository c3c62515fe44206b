// check: leak
// groups: 5
// What a program makes and does not give back, by the line that asks for it.
#include <cuda_runtime.h>

__global__ void put(int **out) { *out = nullptr; }

int main(int count, char **) {
    bool right = count > 1;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 16, 16); // finding[leak-allocation]: 1 array
    int **memory;
    cudaMalloc(&memory, 256); // finding[leak-allocation]: 1 allocation of cudaMalloc (256 bytes) was not freed
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &desc, nullptr); // finding[leak-object]: 1 texture
    cudaStream_t stream;
    cudaStreamCreate(&stream); // finding[leak-object]: 1 stream was not destroyed
    put<<<1, 1, 0, stream>>>(memory);
    cudaEvent_t event;
    cudaEventCreate(&event); // finding[leak-object]: 1 event was not destroyed
    cudaStreamSynchronize(stream);
    if (right) {                 // right[leak-allocation]: all is given back // right[leak-object]: the same
        cudaDestroyTextureObject(texture);
        cudaFreeArray(array);
        cudaFree(memory);
        cudaStreamDestroy(stream);
        cudaEventDestroy(event);
    }
}
