// Relaxed, both.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    if (t != 0) return;
    if (blockIdx.x == 0) {
        work[1] = 7; // at A
        asm volatile("st.relaxed.gpu.u32 [%0], 1;" :: "l"(work) : "memory");
    } else {
        int seen;
        do asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(work) : "memory"); while (!seen);
        out[0] = work[1]; // finding[race-read-after-write] with A: another CTA, in work
    }
}
