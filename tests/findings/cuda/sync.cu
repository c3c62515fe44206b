// check: sync
// Barriers and masks as CUDA C++ writes them.

//| grid = 2
//| block = 64
//|| [params.0]
//|| buffer = { zeros = 4096 }
//|| output = { file = "out.bin" }
//|| [params.1]
//|| scalar = { s32 = 50 }
extern "C" __global__ void guarded(int *out, int n)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i >= n)
        return;
    s[i] = i;
    __syncthreads(); // finding[sync-barrier-missed]: 14 threads of the CTA have exited
    out[i] = s[n - 1 - i];
}

// The work is guarded, and the barrier is not.
//| grid = 2
//| block = 64
extern "C" __global__ void skips_the_work(int *out, int n)
{
    __shared__ int s[64];
    int i = threadIdx.x;
    if (i < n)
        s[i] = i;
    __syncthreads();
    if (i < n)
        out[i] = s[n - 1 - i];
}

// A sum over the warp whose mask names everybody.
//| grid = 1
//| block = 32
//| [params.0]
//| buffer = { zeros = 4096 }
//| [params.1]
//| scalar = { s32 = 20 }
extern "C" __global__ void full_mask(int *out, int n)
{
    int lane = threadIdx.x, sum = lane;
    if (lane >= 20)
        return;
    sum += __shfl_down_sync(0xffffffff, sum, 1); // finding[sync-mask-exited]: names lanes 20 to 31
    out[lane] = sum;
}

//| grid = 1
//| block = 32
extern "C" __global__ void mask_before(int *out, int n)
{
    int lane = threadIdx.x, sum = lane;
    unsigned mask = __ballot_sync(0xffffffff, lane < 20);
    if (lane >= 20)
        return;
    sum += __shfl_down_sync(mask, sum, 1);
    out[lane] = sum;
}

// A reduction in shared memory.
//| grid = 2
//| block = 128
extern "C" __global__ void reduction(int *out, int n)
{
    __shared__ int s[128];
    int i = threadIdx.x;
    s[i] = i * n;
    __syncthreads();
    for (int step = 64; step > 0; step /= 2) {
        if (i < step)
            s[i] += s[i + step];
        __syncthreads();
    }
    if (i == 0)
        out[blockIdx.x] = s[0];
}

// Two halves of a CTA with barriers of their own.
//| grid = 1
//| block = 128
extern "C" __global__ void named(int *out, int n)
{
    __shared__ int s[128];
    int i = threadIdx.x, half = i / 64;
    s[i] = i;
    asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
    out[i] = s[half * 64 + (63 - i % 64)];
}

// The count is that of one half, and both come.
//| grid = 1
//| block = 96
extern "C" __global__ void wrong_count(int *out, int n)
{
    asm volatile("bar.arrive 3, 64;" ::: "memory"); // finding[sync-barrier-count]: only 32 have come to it
    out[threadIdx.x] = n;
}
