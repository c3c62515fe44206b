// Without the one behind it.
// check: race
// grid: 4
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    if (threadIdx.x != 0) return;
    while (atomicCAS(work, 0, 1) != 0) {}
    work[1] = work[1] + 1; // finding[race-read-after-write] with itself: another CTA, in work // finding[race-write-after-write] with itself: another CTA, in work
    __threadfence();
    atomicExch(work, 0);
}
