// A word of four other threads' bytes.
// check: race
// grid: 1
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    char *bytes = (char *)work;
    bytes[threadIdx.x] = in[threadIdx.x]; // at A
    out[threadIdx.x] = work[threadIdx.x / 4]; // finding[race-read-after-write] with A: another lane of its warp, in work
}
