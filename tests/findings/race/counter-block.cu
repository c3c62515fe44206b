// Atomics for a block on a word of two.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    atomicAdd_block(work, 1); // finding[race-write-after-write] with itself: another CTA, in work
}
