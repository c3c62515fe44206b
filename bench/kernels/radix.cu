// Each CTA sorts 2048 keys by CUB's radix sort, four bits at a time.
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_store.cuh>

constexpr unsigned BLOCK = 256, ITEMS = 8;
using Sort = cub::BlockRadixSort<unsigned, BLOCK, ITEMS>;

extern "C" __global__ void __launch_bounds__(BLOCK) radix(unsigned *keys)
{
    __shared__ typename Sort::TempStorage storage;
    unsigned mine[ITEMS];
    unsigned *part = keys + blockIdx.x * BLOCK * ITEMS;
    cub::LoadDirectStriped<BLOCK>(threadIdx.x, part, mine);
    Sort(storage).SortBlockedToStriped(mine);
    cub::StoreDirectStriped<BLOCK>(threadIdx.x, part, mine);
}
