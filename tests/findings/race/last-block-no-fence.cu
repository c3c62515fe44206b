// Without a fence.
// check: race
// grid: 5
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ bool last;
    int t = threadIdx.x;
    work[64 + blockIdx.x * 64 + t] = in[t]; // at A
    __syncthreads();
    if (t == 0) last = atomicAdd(work, 1) == gridDim.x - 1;
    __syncthreads();
    if (last) {
            int sum = 0;
        for (int i = 0; i < gridDim.x; i++) sum += work[64 + i * 64 + t]; // finding[race-read-after-write] with A: another CTA, in work
        out[t] = sum;
    }
}
