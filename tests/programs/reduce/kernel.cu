// Sums an array: a tree in shared memory for each CTA, then the last CTA to finish adds the partial sums.

__device__ unsigned arrived = 0;

extern "C" __global__ void __launch_bounds__(128, 2) reduce(const int *in, int *partial, int *total, unsigned n)
{
    __shared__ int sum[128];
    __shared__ bool last;
    unsigned t = threadIdx.x;
    int mine = 0;
    for (unsigned i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    sum[t] = mine;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half)
            sum[t] += sum[t + half];
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = sum[0];
        __threadfence();
        last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int all = 0;
        for (unsigned i = 0; i < gridDim.x; ++i)
            all += ((volatile int *)partial)[i];
        *total = all;
    }
}
