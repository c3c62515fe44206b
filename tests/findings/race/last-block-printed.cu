// threadFenceReduction as NVIDIA prints it: nothing stands between the ticket and the others' sums.
// check: race
// grid: 5
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        work[1 + blockIdx.x] = in[blockIdx.x]; // at A
        __threadfence();
        last = atomicInc((unsigned *)work, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int i = t; i < gridDim.x; i += 64) sum += work[1 + i]; // finding[race-read-after-write] with A: another CTA, in work
        out[t] = sum;
    }
}
