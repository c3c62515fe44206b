// As it was written before Volta: volatile, and nothing else.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    volatile int *v = s;
    v[t] = in[t];
    __syncthreads();
    if (t < 32) {
        v[t] += v[t + 32];
        v[t] += v[t + 16]; // finding[race-read-after-write] // finding[race-write-after-read]
        v[t] += v[t + 8]; // finding[race-read-after-write] // finding[race-write-after-read]
        v[t] += v[t + 4]; // finding[race-read-after-write] // finding[race-write-after-read]
        v[t] += v[t + 2]; // finding[race-read-after-write] // finding[race-write-after-read]
        v[t] += v[t + 1]; // finding[race-read-after-write] // finding[race-write-after-read]
    }
    if (t == 0) out[0] = v[0];
}
