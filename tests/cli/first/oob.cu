// A kernel for which somebody has no job yet.
__global__ void oob(int *out) { out[threadIdx.x] = 1; }
