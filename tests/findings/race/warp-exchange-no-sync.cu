// Since Volta lanes are not in lockstep.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t]; // at A
    out[t] = s[t ^ 1]; // finding[race-read-after-write] with A: another lane of its warp, in s
}
