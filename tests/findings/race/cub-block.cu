// Algorithms of CUB in a CTA: sort, scan, reduction, histogram, exchange, one after the other in the same memory.
// check: race
// grid: 2
// block: 64
#include <cub/cub.cuh>

extern "C" __global__ void k(int *in, int *out, int *work)
{
    using Load = cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, 64, 4>;
    using Scan = cub::BlockScan<int, 64>;
    using Reduce = cub::BlockReduce<int, 64>;
    using Histogram = cub::BlockHistogram<unsigned char, 64, 4, 16>;
    __shared__ union {
        Load::TempStorage load;
        Sort::TempStorage sort;
        Scan::TempStorage scan;
        Reduce::TempStorage reduce;
        Histogram::TempStorage histogram;
    } s;
    __shared__ int bins[16];
    int items[4];
    Load(s.load).Load(in + 256 * blockIdx.x, items);
    for (int i = 0; i < 4; i++) items[i] += (threadIdx.x * 4 + i) * 37 % 101;
    __syncthreads();
    Sort(s.sort).Sort(items);
    __syncthreads();
    unsigned char codes[4];
    for (int i = 0; i < 4; i++) codes[i] = items[i] & 15;
    Histogram(s.histogram).Histogram(codes, bins);
    __syncthreads();
    Scan(s.scan).InclusiveSum(items, items);
    __syncthreads();
    int sum = Reduce(s.reduce).Sum(items);
    for (int i = 0; i < 4; i++) out[256 * blockIdx.x + 4 * threadIdx.x + i] = items[i];
    if (threadIdx.x < 16) work[32 + 16 * blockIdx.x + threadIdx.x] = bins[threadIdx.x];
    if (threadIdx.x == 0) work[blockIdx.x] = sum;
}
