// All threads read the same.
// check: race
// grid: 3
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += in[i];
    out[blockIdx.x * 64 + threadIdx.x] = sum;
}
