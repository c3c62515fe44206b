// A library with NVIDIA's runtime inside, which is stripped: `library_caller.c` calls it.
__global__ void fill(int *to) { *to = 42; }

extern "C" int computed(int *result)
{
    int *memory = nullptr;
    cudaError_t error = cudaMalloc(&memory, sizeof *memory);
    if (error == cudaSuccess) {
        fill<<<1, 1>>>(memory);
        error = cudaMemcpy(result, memory, sizeof *result, cudaMemcpyDeviceToHost);
        cudaFree(memory);
    }
    return error;
}
