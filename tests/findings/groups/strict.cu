// check: race=strict
// What only the letter of the memory model calls a race.

//|| [params.0]
//|| buffer = { zeros = 4096 }

//| # groups 1
//| grid = 1
//| block = 128
extern "C" __global__ void lanes_store_one_value(int *o)
{
    __shared__ int s[4];
    int v = threadIdx.x / 32;
    s[threadIdx.x / 32] = v; // finding[race-same-value] with itself: the same value as another lane of its warp
    __syncthreads();
    if (threadIdx.x == 0) *o = s[0] + s[1] + s[2] + s[3];
}

//| # groups 1
//| grid = 1
//| block = 64
extern "C" __global__ void lanes_store_several(int *o)
{
    o[threadIdx.x / 2] = threadIdx.x; // finding[race-write-after-write] with itself: where another lane
}
