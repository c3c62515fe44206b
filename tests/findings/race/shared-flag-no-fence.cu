// Volatile alone orders nothing.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ volatile int flag;
    __shared__ int data;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t == 0) {
        data = in[0] + 5; // at A
        flag = 1;
    }
    if (t == 32) {
        while (flag == 0) {}
        out[0] = data; // finding[race-read-after-write] with A: another warp of its CTA, in data
    }
}
