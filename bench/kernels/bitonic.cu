// Each CTA sorts 1024 keys by a bitonic network in shared memory; a thread has two keys.
constexpr unsigned KEYS = 1024, BLOCK = KEYS / 2;

extern "C" __global__ void __launch_bounds__(BLOCK) bitonic(unsigned *keys)
{
    __shared__ unsigned part[KEYS];
    unsigned thread = threadIdx.x;
    unsigned *mine = keys + blockIdx.x * KEYS;
    part[thread] = mine[thread];
    part[thread + BLOCK] = mine[thread + BLOCK];
    for (unsigned size = 2; size <= KEYS; size *= 2)
        for (unsigned distance = size / 2; distance; distance /= 2) {
            __syncthreads();
            unsigned low = 2 * thread - (thread & (distance - 1)), high = low + distance;
            bool up = (low & size) == 0;
            unsigned a = part[low], b = part[high];
            if ((a > b) == up) {
                part[low] = b;
                part[high] = a;
            }
        }
    __syncthreads();
    mine[thread] = part[thread];
    mine[thread + BLOCK] = part[thread + BLOCK];
}
