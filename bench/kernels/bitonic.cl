// Twin of bitonic.cu.
#define KEYS 1024
#define BLOCK 512

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void bitonic(__global uint *keys)
{
    __local uint part[KEYS];
    uint thread = get_local_id(0);
    __global uint *mine = keys + get_group_id(0) * KEYS;
    part[thread] = mine[thread];
    part[thread + BLOCK] = mine[thread + BLOCK];
    for (uint size = 2; size <= KEYS; size *= 2)
        for (uint distance = size / 2; distance; distance /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint low = 2 * thread - (thread & (distance - 1)), high = low + distance;
            bool up = (low & size) == 0;
            uint a = part[low], b = part[high];
            if ((a > b) == up) {
                part[low] = b;
                part[high] = a;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    mine[thread] = part[thread];
    mine[thread + BLOCK] = part[thread + BLOCK];
}
