// check: race,sync --threads 1
// Threads that share memory, with and without what orders them.

//|| [params.0]
//|| buffer = { zeros = 4096 }
//|| output = { file = "out.bin" }
//|| [params.1]
//|| buffer = { zeros = 4096 }
//|| [params.2]
//|| scalar = { s32 = 64 }

//| # groups 1
//| grid = 1
//| block = [32, 4]
extern "C" __global__ void transposed(int *o, const int *in, int n)
{
    __shared__ int s[4][33];
    s[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x]; // at TILE // finding[race-write-after-read] with LOAD: that another warp
    o[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x % 4][threadIdx.y * 8 + threadIdx.x / 4]; // at LOAD // finding[race-read-after-write] with TILE: what another
}

//| # groups 0
//| grid = 1
//| block = [32, 4]
extern "C" __global__ void transposed_right(int *o, const int *in, int n)
{
    __shared__ int s[4][33];
    s[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    o[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.x % 4][threadIdx.y * 8 + threadIdx.x / 4];
}

// The barrier of a tree is not in its loop.
//| # groups 1
//| grid = 1
//| block = 128
extern "C" __global__ void tree(int *o, const int *in, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = n; d > 0; d /= 2)
        if (t < d) s[t] += s[t + d]; // finding[race-read-after-write] with itself: what another // finding[race-write-after-read] with itself: that another
    if (t == 0) o[0] = s[0];
}

//| # groups 0
//| grid = 1
//| block = 128
extern "C" __global__ void tree_right(int *o, const int *in, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = n; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) o[0] = s[0];
}

// The barrier at the end of a turn is missing.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void tiles(int *o, const int *in, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n / 8; i++) {
        s[t] = in[i * 64 + t]; // at NEXT // finding[race-write-after-read] with SUM: that another warp
        __syncthreads();
        sum += s[63 - t]; // at SUM // finding[race-read-after-write] with NEXT: what another warp
    }
    o[t] = sum;
}

//| # groups 0
//| grid = 1
//| block = 64
extern "C" __global__ void tiles_right(int *o, const int *in, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n / 8; i++) {
        s[t] = in[i * 64 + t];
        __syncthreads();
        sum += s[63 - t];
        __syncthreads();
    }
    o[t] = sum;
}

// Two buffers need one barrier a turn.
//| # groups 0
//| grid = 1
//| block = 64
extern "C" __global__ void two_buffers(int *o, const int *in, int n)
{
    __shared__ int s[2][64];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n / 8; i++) {
        s[i % 2][t] = in[i * 64 + t];
        __syncthreads();
        sum += s[i % 2][63 - t];
    }
    o[t] = sum;
}

// A prefix sum that reads and stores one array between two barriers.
//| # groups 1
//| grid = 1
//| block = 128
extern "C" __global__ void prefix(int *o, const int *in, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        if (t >= d) s[t] += s[t - d]; // finding[race-read-after-write] with itself: what another // finding[race-write-after-read] with itself: that another
        __syncthreads();
    }
    o[t] = s[t];
}

//| # groups 0
//| grid = 1
//| block = 128
extern "C" __global__ void prefix_right(int *o, const int *in, int n)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int left = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += left;
        __syncthreads();
    }
    o[t] = s[t];
}

// Bins that are counted without atomics.
//| # groups 2
//| grid = 1
//| block = 64
extern "C" __global__ void bins(int *o, const int *in, int n)
{
    o[threadIdx.x % 8] += 1; // finding[race-read-after-write] with itself: what another // finding[race-write-after-read] with itself: that another // finding[race-write-after-write] with itself: stores to
}

//| # groups 0
//| grid = 2
//| block = 64
extern "C" __global__ void bins_right(int *o, const int *in, int n)
{
    atomicAdd(&o[threadIdx.x % 8], 1);
}

// Neighbours of another CTA.
//| # groups 1
//| grid = 2
//| block = 64
extern "C" __global__ void halo(int *o, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    o[i] = in[i]; // at HALO
    __syncthreads();
    if (threadIdx.x == 0 && i > 0) o[512] = o[i - 1]; // finding[race-read-after-write] with HALO: what another CTA
}

// The last CTA adds up what the others have stored: a fence is missing.
__device__ unsigned done;

//| # groups 1
//| grid = 4
//| block = 32
extern "C" __global__ void last_one(int *o, const int *in, int n)
{
    __shared__ bool is_last;
    int t = threadIdx.x;
    if (t == 0) {
        o[blockIdx.x] = in[blockIdx.x] + 1; // at PART
        is_last = atomicAdd(&done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && t < gridDim.x) o[64 + t] = o[t]; // finding[race-read-after-write] with PART: what another CTA
}

//| # groups 0
//| grid = 4
//| block = 32
extern "C" __global__ void last_one_right(int *o, const int *in, int n)
{
    __shared__ bool is_last;
    int t = threadIdx.x;
    if (t == 0) {
        o[blockIdx.x] = in[blockIdx.x] + 1;
        __threadfence();
        is_last = atomicAdd(&done, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last && t < gridDim.x) o[64 + t] = o[t];
}

// Lanes of a warp are not in step.
//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void in_step(int *o, const int *in, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    __syncwarp();
    s[t] += s[t + 16]; // finding[race-write-after-read] with itself: another lane of its warp
    if (t == 0) o[0] = s[0];
}

//| # groups 0
//| grid = 1
//| block = 32
extern "C" __global__ void in_step_right(int *o, const int *in, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 32] = 0;
    __syncwarp();
    int other = s[t + 16];
    __syncwarp();
    s[t] += other;
    if (t == 0) o[0] = s[0];
}

// All threads store one value.
//| # groups 1
//| grid = 2
//| block = 64
extern "C" __global__ void one_value(int *o, const int *in, int n)
{
    if (in[threadIdx.x] == 0) o[0] = 1; // finding[race-same-value] with itself: the same value as another
}

// A barrier that some threads do not come to.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void left_early(int *o, const int *in, int n)
{
    if (threadIdx.x > 40) return;
    o[threadIdx.x] = 1;
    __syncthreads(); // finding[sync-barrier-missed]: threads of the CTA have exited
    o[64 + threadIdx.x] = o[threadIdx.x];
}

// A shuffle that names lanes which are gone.
//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void gone(int *o, const int *in, int n)
{
    int t = threadIdx.x;
    if (t >= 24) return;
    o[t] = __shfl_xor_sync(0xffffffff, t, 1); // finding[sync-mask-exited]: names lanes 24 to 31
}

//| # groups 0
//| grid = 1
//| block = 32
extern "C" __global__ void gone_right(int *o, const int *in, int n)
{
    int t = threadIdx.x;
    if (t >= 24) return;
    o[t] = __shfl_xor_sync(0x00ffffff, t, 1);
}
