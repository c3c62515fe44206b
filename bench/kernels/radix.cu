// Keys of 32 bits sorted by CUB's "onesweep" radix sort, eight bits a pass: its agents, as cub::DeviceRadixSort launches
// them, without the host's part. One launch counts the digits of all passes, one makes places of the counts, and then
// each pass moves the keys; its CTAs wait for what those before them have counted.
#include <cub/agent/agent_radix_sort_histogram.cuh>
#include <cub/agent/agent_radix_sort_onesweep.cuh>
#include <cub/block/block_scan.cuh>

constexpr int BITS = 8, DIGITS = 1 << BITS, BLOCK = 256, ITEMS = 16;
using Histogram = cub::detail::radix_sort::AgentRadixSortHistogram<
    cub::detail::agent_radix_sort_histogram_policy<BLOCK, ITEMS, 1, void, BITS>, false, unsigned, unsigned>;
using Onesweep = cub::detail::radix_sort::AgentRadixSortOnesweep<
    cub::detail::agent_radix_sort_onesweep_policy<0, 0, void, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY,
        cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::RADIX_SORT_STORE_DIRECT, BITS, cub::detail::NoScaling<BLOCK, ITEMS>>,
    false, unsigned, cub::NullType, unsigned, int>;
using Scan = cub::BlockScan<unsigned, DIGITS>;

extern "C" __global__ void __launch_bounds__(BLOCK) radix_histogram(unsigned *bins, const unsigned *keys, unsigned n)
{
    __shared__ Histogram::TempStorage storage;
    Histogram(storage, bins, keys, n, 0, 32).Process();
}

extern "C" __global__ void __launch_bounds__(DIGITS) radix_places(unsigned *bins)
{
    __shared__ Scan::TempStorage storage;
    unsigned &mine = bins[blockIdx.x * DIGITS + threadIdx.x], count = mine;
    Scan(storage).ExclusiveSum(count, count);
    mine = count;
}

extern "C" __global__ void __launch_bounds__(BLOCK) radix_pass(int *lookback, int *counters, const unsigned *bins,
    unsigned *to, const unsigned *from, unsigned n, unsigned bit)
{
    __shared__ Onesweep::TempStorage storage;
    unsigned pass = bit / BITS;
    Onesweep(storage, lookback + pass * gridDim.x * DIGITS, counters + pass, nullptr, bins + pass * DIGITS, to, from,
        nullptr, nullptr, n, bit, BITS).Process();
}
