// check: sync
// Barriers and masks.

//|| [params.0]
//|| buffer = { zeros = 4096 }

//| # groups 1
//| grid = 4
//| block = 64
extern "C" __global__ void leaves(int *o)
{
    if (threadIdx.x >= 40) return;
    for (int i = 0; i < 4; i++) {
        o[threadIdx.x] += i;
        __syncthreads(); // finding[sync-barrier-missed]: threads of the CTA have exited
    }
}

//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void names_gone(int *o)
{
    int sum = threadIdx.x;
    if (threadIdx.x >= 20) return;
    for (int d = 8; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d); // finding[sync-mask-exited]: names lanes 20 to 31
    o[threadIdx.x] = sum;
}

//| # groups 0
//| grid = 1
//| block = 64
extern "C" __global__ void right(int *o)
{
    o[threadIdx.x] = 1;
    __syncthreads();
    o[threadIdx.x ^ 1] = 2;
}
