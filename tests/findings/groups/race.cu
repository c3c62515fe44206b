// check: race
// One mistake in a line is one finding, however often the compiler has unrolled the line.

//|| [params.0]
//|| buffer = { zeros = 4096 }
//|| [params.1]
//|| buffer = { zeros = 4096 }
//|| [params.2]
//|| scalar = { s32 = 4 }

//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void unrolled(int *o, const int *in, int n)
{
    int i = threadIdx.x;
    for (int c = 0; c < 4; ++c) o[i + c] = i * 10 + c; // finding[race-write-after-write] with itself: where another
}

// A loop of which it is not known how often it turns.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void turns(int *o, const int *in, int n)
{
    int i = threadIdx.x;
    for (int c = 0; c < n; ++c) o[i + c] = i * 10 + c; // finding[race-write-after-write] with itself: where another
}

// The barrier at the end of the turn is missing.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void no_second_barrier(int *o, const int *in, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 8; i++) {
        s[t] = in[i * 64 + t]; // at NEXT // finding[race-write-after-read] with LOAD: that another warp
        __syncthreads();
        sum += s[63 - t]; // at LOAD // finding[race-read-after-write] with NEXT: what another warp
    }
    o[t] = sum;
}

// Three sums over steps of one loop.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void no_barrier_between(int *o, const int *in, int n)
{
    __shared__ int s[64 + 8];
    int t = threadIdx.x;
    s[t] = in[t]; // at STORE // finding[race-write-after-read] with SUM: that another warp
    int sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += s[(t + 8 * k) % 64]; // at SUM // finding[race-read-after-write] with STORE: what another
    o[t] = sum;
}

// One line of a function that is inlined at three.
__device__ void put(int *to, int i, int value)
{
    to[i / 2] = value; // finding[race-write-after-write] with itself: where another
}

//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void inlined(int *o, const int *in, int n)
{
    int i = threadIdx.x;
    put(o, i, i);
    put(o + 64, i, i + 1);
    put(o + 128, i, i * 3);
}

// Two stores of one statement, and two lines: three pairs of lines at most, and these two with themselves.
//| # groups 2
//| grid = 1
//| block = 64
extern "C" __global__ void two_lines(int *o, const int *in, int n)
{
    int i = threadIdx.x;
    o[i / 2] = i; // finding[race-write-after-write] with itself: where another
    o[64 + i / 2] = i * 2; // finding[race-write-after-write] with itself: where another
}

// All lanes of a warp hold one value and store it by one instruction, as GCC, Halide and Triton write it.
//| # groups 0
//| grid = 1
//| block = 128
extern "C" __global__ void lanes_store_one_value(int *o, const int *in, int n) // right[race-same-value]: one instruction, one warp
{
    __shared__ int s[4];
    int v = threadIdx.x / 32;
    s[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) *o = s[0] + s[1] + s[2] + s[3];
}

// A flag that warps set.
//| # groups 1
//| grid = 1
//| block = 128
extern "C" __global__ void warps_store_one_value(int *o, const int *in, int n)
{
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    if (in[threadIdx.x] == 0) found = 1; // finding[race-same-value] with itself: the same value as another warp
    __syncthreads();
    if (threadIdx.x == 0) *o = found;
}

// CTAs share a place: two kinds.
//| # groups 2
//| grid = 4
//| block = 32
extern "C" __global__ void ctas(int *o, const int *in, int n)
{
    o[threadIdx.x] = blockIdx.x; // finding[race-write-after-write] with itself: where another CTA
    int next = ((volatile int *)o)[threadIdx.x + 1 & 31]; // finding[race-read-after-write]: what another
    if (next == 77) o[100] = 1;
}

//| # groups 0
//| grid = 1
//| block = 64
extern "C" __global__ void right(int *o, const int *in, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < 8; i++) {
        s[t] = in[i * 64 + t];
        __syncthreads();
        sum += s[63 - t];
        __syncthreads();
    }
    o[t] = sum;
}

// One past the end of `hist` is the first element of its neighbour.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void neighbour(int *o, const int *in, int n)
{
    __shared__ int hist[64];
    __shared__ int next[64];
    int t = threadIdx.x;
    hist[t + n / 4] = t; // finding[race-write-after-write] with BESIDE: this access is one past the end of `hist` (64 elements of 4 bytes)
    next[t] = t + 1; // at BESIDE
    __syncthreads();
    o[t] = hist[t] + next[t];
}
