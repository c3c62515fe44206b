// Twin of histogram_shared.cu.
#define BLOCK 256
#define BINS 256

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void histogram_shared(__global const uint *in, __global uint *counts, uint words)
{
    __local uint bins[BINS];
    bins[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < words; i += get_global_size(0)) {
        uint word = in[i];
        atomic_add(&bins[word & 255], 1);
        atomic_add(&bins[word >> 8 & 255], 1);
        atomic_add(&bins[word >> 16 & 255], 1);
        atomic_add(&bins[word >> 24], 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&counts[get_local_id(0)], bins[get_local_id(0)]);
}
