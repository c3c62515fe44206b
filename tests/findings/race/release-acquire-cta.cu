// For threads of one CTA only: the flag itself races, too.
// check: race
// grid: 2
// block: 64
extern "C" __global__ void k(int *in, int *out, int *work)
{
    int t = threadIdx.x;
    if (t != 0) return;
    if (blockIdx.x == 0) {
        work[1] = 7;
        asm volatile("st.release.cta.u32 [%0], 1;" :: "l"(work) : "memory");
    } else {
        int seen;
        do asm volatile("ld.acquire.cta.u32 %0, [%1];" : "=r"(seen) : "l"(work) : "memory"); while (!seen); // finding[race-read-after-write]
        out[0] = work[1]; // finding[race-read-after-write]
    }
}
