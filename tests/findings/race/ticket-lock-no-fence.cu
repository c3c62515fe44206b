// A lock by tickets; who has it may read before.
// check: race
// grid: 6
// block: 1
extern "C" __global__ void k(int *in, int *out, int *work)
{
    volatile int *now = work + 1;
    for (int i = 0; i < 3; i++) {
        int mine = atomicAdd(work, 1);
        while (*now != mine) {}
        work[2] += in[i] + 1; // at A // finding[race-read-after-write] with A: another CTA, in work // finding[race-write-after-write] with A: another CTA, in work
        __threadfence();
        *now = mine + 1;
    }
}
