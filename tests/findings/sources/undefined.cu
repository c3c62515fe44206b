// check: init
// Memory and variables that nobody has written.

//|| [params.0]
//|| buffer = { zeros = 4096 }
//|| [params.1]
//|| buffer = { undefined = true, size = 4096 }
//|| [params.2]
//|| buffer = { zeros = 4096 }

//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void scaled(float *o, const float *in, const int *zero)
{
    o[threadIdx.x] = in[threadIdx.x] * 2; // finding[init-store]: what is stored was computed from
}

//| # groups 0
//| grid = 1
//| block = 32
extern "C" __global__ void copied(float *o, const float *in, const int *zero)
{
    o[threadIdx.x] = in[threadIdx.x];
}

// A sum over a tile of which the last row is missing.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void tile(float *o, const float *in, const int *zero)
{
    __shared__ float s[80];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    o[t] = s[t] + s[t + 16]; // finding[init-store]: what is stored was computed from
}

//| # groups 0
//| grid = 1
//| block = 64
extern "C" __global__ void tile_right(float *o, const float *in, const int *zero)
{
    __shared__ float s[80];
    int t = threadIdx.x;
    s[t] = t;
    if (t < 16) s[t + 64] = 0;
    __syncthreads();
    o[t] = s[t] + s[t + 16];
}

// A loop that ends by what nobody has written.
//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void until(float *o, const float *in, const int *zero)
{
    int n = ((const int *)in)[threadIdx.x] & 7;
#pragma unroll 1
    for (int i = 0; i < n; i++) // finding[init-branch]: the condition of a branch depends on
        atomicAdd(&o[0], 1);
}

// An index that nobody has written.
//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void gather(float *o, const float *in, const int *zero)
{
    int i = ((const int *)in)[threadIdx.x] & 31;
    o[threadIdx.x] = zero[i]; // finding[init-address]: an address depends on
}

// A vote about it.
//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void vote(float *o, const float *in, const int *zero)
{
    unsigned all = __ballot_sync(0xffffffff, in[threadIdx.x] > 1); // finding[init-collective]: an operand that lanes or threads share
    if (threadIdx.x == 0) o[0] = all;
}

// Counters that do not begin with 0.
//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void counted(int *o, const float *in, const int *zero)
{
    __shared__ int bins[4];
    atomicAdd(&bins[threadIdx.x & 3], 1); // finding[init-atomic]: an atomic computes with
    __syncthreads();
    if (threadIdx.x < 4) o[threadIdx.x] = bins[threadIdx.x];
}

//| # groups 0
//| grid = 1
//| block = 32
extern "C" __global__ void counted_right(int *o, const float *in, const int *zero)
{
    __shared__ int bins[4];
    if (threadIdx.x < 4) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x & 3], 1);
    __syncthreads();
    if (threadIdx.x < 4) o[threadIdx.x] = bins[threadIdx.x];
}

// Elements that are there for the look of it.
//| # groups 0
//| grid = 1
//| block = 32
extern "C" __global__ void masked(int *o, const float *in, const int *zero)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    int next = s[t + 1];
    o[t] = t < 31 ? next : 0;
}

// Bytes of a word that count, and others that do not.
//| # groups 0
//| grid = 1
//| block = 32
extern "C" __global__ void parts(int *o, const float *in, const int *zero)
{
    __shared__ unsigned char bytes[128];
    bytes[4 * threadIdx.x] = threadIdx.x;
    __syncwarp();
    o[threadIdx.x] = ((unsigned *)bytes)[threadIdx.x] & 0xff;
}
