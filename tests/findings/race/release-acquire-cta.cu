// For threads of one CTA only: the flag itself races, too.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    if (t != 0) return;
    if (blockIdx.x == 0) {
        work[1] = 7; // at A
        asm volatile("st.release.cta.u32 [%0], 1;" :: "l"(work) : "memory"); // at B
    } else {
        int seen;
        do asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(seen) : "l"(work) : "memory"); while (!seen); // finding[race-read-after-write] with B: another CTA, in work
        out[0] = work[1]; // finding[race-read-after-write] with A: another CTA, in work
    }
}
