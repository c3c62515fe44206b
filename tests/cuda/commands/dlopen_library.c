// A library for dlopen_threads.c: with a stand-in for NVIDIA's static runtime inside (dlopen_runtime.c, made by the
// test), whose functions answer 999 as long as texunit does not replace them. Each call uses the runtime and gives
// everything back; the answer is 0 if the calls got through, else the step, and 100 times the error.
#include <stddef.h>
#include <string.h>

int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMemset(void *, int, size_t);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaGetDeviceCount(int *);

#ifdef MISSING
int from_a_missing_library(void);
int use_it(void) { return from_a_missing_library(); }
#endif

__attribute__((visibility("default"))) int work(int seed)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) || count < 1) return 1;
    unsigned char bytes[256], wanted[256];
    void *memory = NULL;
    size_t size = 1 + (unsigned)seed % sizeof bytes;
    int error = cudaMalloc(&memory, size);
    if (error || !memory) return 100 * error + 2;
    memset(wanted, seed >> 8, size);
    if (cudaMemset(memory, seed >> 8, size)) return 3;
    // From the device.
    if (cudaMemcpy(bytes, memory, size, 2) || memcmp(bytes, wanted, size)) return 4;
    return cudaFree(memory) ? 5 : 0;
}
