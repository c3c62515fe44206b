// Without the fence before the flag.
// check: race
// grid: 40
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    if (threadIdx.x != 0) return;
    volatile int *state = work;
    int before = 0, i = blockIdx.x;
    if (i > 0) {
        while (state[2 * i - 2] == 0) {}
        __threadfence();
        before = work[2 * i - 1]; // finding[race-read-after-write] with A: another CTA, in work
    }
    work[2 * i + 1] = before + in[i]; // at A
    state[2 * i] = 1;
}
