// Module-scope data: constants of every size, tables of structures, initialised pointers, variables that CTAs share.

struct Entry { short key; double value; char text[6]; };

__constant__ float weights[5] = {0.5f, -1.25f, 3.0f, 1e-40f, 1e30f};
__constant__ Entry entries[3] = {{1, 2.5, "alpha"}, {-2, 0.125, "beta"}, {300, -7.0, ""}};
__device__ int counters[4] = {10, 20, 30, 40};
__device__ int *middle = &counters[2];
__device__ const char *words[3] = {"red", "green", "blue"};
__device__ unsigned char bytes[3] = {7, 8, 9};
__device__ long long big = 0x7fffffff12345678ll;
__device__ int grid_total;

extern "C" __global__ void globals(double *out, unsigned char *letters, int *ints, long long *longs)
{
    int t = threadIdx.x;
    if (t < 5) out[t] = weights[t];
    if (t >= 5 && t < 8) out[t] = entries[t - 5].value + entries[t - 5].key;
    letters[t] = t < 18 ? entries[t / 6].text[t % 6] : words[t % 3][t % 4];
    atomicAdd(&counters[t % 4], 1);
    atomicAdd(&grid_total, t);
    __syncthreads();
    if (t < 4) ints[t] = counters[t];
    if (t == 4) ints[4] = *middle;
    if (t == 5) ints[5] = grid_total;
    if (t == 6) ints[6] = bytes[0] * 100 + bytes[1] * 10 + bytes[2];
    if (t == 7) ints[7] = (int)(middle - counters);
    if (t == 8) longs[0] = big++;
    __syncthreads();
    if (t == 9) longs[1] = big;
}
