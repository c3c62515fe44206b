// What is freed is given out again.
// check: race
// grid: 8
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) {
        int *mine = (int *)malloc(32);
        if (!mine) return;
        for (int j = 0; j < 8; j++) mine[j] = in[t] + j;
        int sum = 0;
        for (int j = 0; j < 8; j++) sum += mine[j];
        if (sum == 1) out[t] = sum;
        free(mine);
    }
}
