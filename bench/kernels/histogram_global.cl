// Twin of histogram_global.cu.
#define BLOCK 256
#define BINS 4096

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void histogram_global(__global const uint *in, __global uint *counts, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_add(&counts[in[i] % BINS], 1);
}
