// Faults at lines that the tests know by their marks (runs.toml, crates/tools/cli/tests/cuda/places.rs). The argument chooses one.
#include <cstdio>
#include <cstring>

template <typename T>
__device__ void put(T *out, int i, T x)
{
    out[i] = x; // mark: store
}

__global__ void fill(int *out, int n)
{
    int i = threadIdx.x;
    if (i < n)
        put(out, i, 7); // mark: call
}

__global__ void sample(cudaTextureObject_t texture, float *out)
{
    out[threadIdx.x] = tex2D<float>(texture, 0.5f, 0.5f); // mark: fetch
}

__attribute__((noinline)) int *ask(int n)
{
    int *out = nullptr;
    cudaMalloc(&out, n * sizeof *out); // mark: asked
    return out;
}

__attribute__((noinline)) int give_back(int *out)
{
    return cudaFree(out); // mark: freed
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "";
    int *out = ask(16);
    if (!std::strcmp(which, "end")) {
        fill<<<1, 32>>>(out, 17);
    } else if (!std::strcmp(which, "freed")) {
        give_back(out);
        fill<<<1, 32>>>(out, 1);
    } else if (!std::strcmp(which, "texture")) {
        sample<<<1, 1>>>(0, (float *)out);
    } else if (!std::strcmp(which, "array")) {
        cudaArray_t array;
        cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        cudaMallocArray(&array, &format, 4, 4);
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc description = {};
        description.readMode = cudaReadModeElementType;
        cudaTextureObject_t texture;
        cudaCreateTextureObject(&texture, &resource, &description, nullptr);
        sample<<<1, 1>>>(texture, (float *)out);
    } else {
        fill<<<1, 32>>>(out, 16);
    }
    std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
