// Tiles one after the other in the same place.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        s[t] = in[t + 64 * i]; // right[race-write-after-read]: the barrier at the end of the turn
        __syncthreads();
        sum += s[63 - t];
        __syncthreads();
    }
    out[t] = sum;
}
