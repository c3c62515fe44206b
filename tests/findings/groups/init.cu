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

// What was computed from undefined data lies in shared memory before it is used.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void by_way_of_shared(float *o, const float *in)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t] * 3;
    __syncthreads();
    o[t] = s[63 - t] + 1; // finding[init-store]: computed at init.cu:56 from 4 bytes of
}

// A variable that code for a debugger has in memory.
//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void by_way_of_a_variable(float *o, const float *in)
{
    float a = in[threadIdx.x]; // at LOAD
    float b = a;
    o[threadIdx.x] = b * 2; // finding[init-store] with LOAD: computed from 4 bytes of `by_way_of_a_variable_param_1`
}
