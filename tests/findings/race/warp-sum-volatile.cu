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
        v[t] += v[t + 32]; // at A
        v[t] += v[t + 16]; // at B // finding[race-read-after-write] with A: another lane of its warp, in s // finding[race-write-after-read] with itself: another lane of its warp, in s
        v[t] += v[t + 8]; // at C // finding[race-read-after-write] with B: another lane of its warp, in s // finding[race-write-after-read] with itself: another lane of its warp, in s
        v[t] += v[t + 4]; // at D // finding[race-read-after-write] with C: another lane of its warp, in s // finding[race-write-after-read] with itself: another lane of its warp, in s
        v[t] += v[t + 2]; // at E // finding[race-read-after-write] with D: another lane of its warp, in s // finding[race-write-after-read] with itself: another lane of its warp, in s
        v[t] += v[t + 1]; // finding[race-read-after-write] with E: another lane of its warp, in s // finding[race-write-after-read] with itself: another lane of its warp, in s
    }
    if (t == 0) out[0] = v[0];
}
