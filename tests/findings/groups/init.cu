// check: init
// Uses of data that nobody has written.

//|| [params.0]
//|| buffer = { zeros = 4096 }
//|| [params.1]
//|| buffer = { undefined = true, size = 4096 }

//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void unrolled(float *o, const float *in)
{
    for (int k = 0; k < 4; k++) o[k * 32 + threadIdx.x] = in[k * 32 + threadIdx.x] * 2; // finding[init-store]: what is stored was computed from
}

//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void half_written(float *o, const float *in)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 32) s[t] = t;
    __syncthreads();
    o[t] = s[t] * 2; // finding[init-store]: what is stored was computed from
}

//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void counters(int *o, const int *in)
{
    __shared__ int bins[32];
    atomicAdd(&bins[threadIdx.x & 3], 1); // finding[init-atomic]: an atomic computes with
    __syncthreads();
    o[threadIdx.x] = threadIdx.x < 4 ? bins[threadIdx.x] : 0;
}

//| # groups 0
//| grid = 1
//| block = 32
extern "C" __global__ void copies(float *o, const float *in)
{
    o[threadIdx.x] = in[threadIdx.x];
}
