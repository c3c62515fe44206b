// check: all
// Accesses that end a launch: the fault is told, and nothing else.

//|| [params.0]
//|| buffer = { zeros = 256 }
//|| [params.1]
//|| scalar = { s32 = 64 }

//| # groups 0
//| # faults out of bounds
//| grid = 1
//| block = 128
extern "C" __global__ void past_the_end(int *o, int n)
{
    o[threadIdx.x] = n;
}

//| # groups 0
//| grid = 1
//| block = 128
extern "C" __global__ void past_the_end_right(int *o, int n)
{
    if (threadIdx.x < n) o[threadIdx.x] = n;
}

//| # groups 0
//| # faults out of bounds
//| grid = 1
//| block = 32
extern "C" __global__ void before(int *o, int n)
{
    o[(int)threadIdx.x - 1] = n;
}

//| # groups 0
//| # faults at .global address 0x0
//| grid = 1
//| block = 32
extern "C" __global__ void nowhere(int *o, int n)
{
    int *p = (int *)(size_t)(n - 64);
    p[threadIdx.x] = n;
}

//| # groups 0
//| # faults not a multiple of 4
//| grid = 1
//| block = 32
extern "C" __global__ void odd(int *o, int n)
{
    *(int *)((char *)o + 4 * threadIdx.x + n - 63) = n;
}

//| # groups 0
//| # faults trap
//| grid = 1
//| block = 32
extern "C" __global__ void trapped(int *o, int n)
{
    if (n == 64) __trap();
    o[threadIdx.x] = n;
}

//| # groups 0
//| # faults .shared address
//| grid = 1
//| block = 32
extern "C" __global__ void shared_past(int *o, int n)
{
    __shared__ int s[32];
    s[threadIdx.x + n * 1024] = n;
    o[threadIdx.x] = s[threadIdx.x];
}
