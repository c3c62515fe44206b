// What places_nvrtc.py compiles.
extern "C" __device__ void put(int *out, int i) { out[i] = 7; } // mark: store

extern "C" __global__ void fill(int *out)
{
    put(out, threadIdx.x + 16); // mark: call
}
