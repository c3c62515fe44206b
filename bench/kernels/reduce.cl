// Twin of reduce.cu, with sub-groups where the driver has them, else by halves in local memory.
#define BLOCK 256
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#define SUBGROUPS 1
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduce(__global const float *in, __global float *sums, uint n)
{
    float sum = 0;
    uint thread = get_local_id(0);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += in[i];
#ifdef SUBGROUPS
    __local float of_groups[BLOCK];
    sum = sub_group_reduce_add(sum);
    if (get_sub_group_local_id() == 0)
        of_groups[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (thread == 0) {
        sum = 0;
        for (uint k = 0; k < get_num_sub_groups(); k++)
            sum += of_groups[k];
        sums[get_group_id(0)] = sum;
    }
#else
    __local float parts[BLOCK];
    parts[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_of = BLOCK / 2; half_of; half_of /= 2) {
        if (thread < half_of)
            parts[thread] += parts[thread + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (thread == 0)
        sums[get_group_id(0)] = parts[0];
#endif
}
