// Made with nvcc 13.5, and then the folders removed from the names of `.file`:
//   nvcc -ptx -arch=sm_75 -lineinfo debug.cu -o debug-lineinfo.ptx
//   nvcc -ptx -arch=sm_75 -G debug.cu -o debug-G.ptx
__device__ float mix(float a, float b) { return a + 0.5f * b; }

extern "C" __global__ void sample(cudaTextureObject_t image, float *out, int n) {
    int i = threadIdx.x;
    if (i < n)
        out[i] = mix(tex1Dfetch<float>(image, i), out[i]);
}
