// Twin of scan.cu, with sub-groups where the driver has them, else by doubled distances in local memory.
#define BLOCK 256
#if defined(cl_khr_subgroups) || defined(__opencl_c_subgroups)
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#define SUBGROUPS 1
#endif

uint scan_group(uint value, __local uint *parts)
{
#ifdef SUBGROUPS
    value = sub_group_scan_inclusive_add(value);
    if (get_sub_group_local_id() == get_sub_group_size() - 1)
        parts[get_sub_group_id()] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (uint k = 0; k < get_sub_group_id(); k++)
        before += parts[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    return value + before;
#else
    uint thread = get_local_id(0);
    parts[thread] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < BLOCK; distance *= 2) {
        uint before = thread >= distance ? parts[thread - distance] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        value += before;
        parts[thread] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return value;
#endif
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void scan_ctas(__global const uint *in, __global uint *out, __global uint *sums)
{
    __local uint parts[BLOCK];
    uint i = get_global_id(0);
    uint value = scan_group(in[i], parts);
    out[i] = value;
    if (get_local_id(0) == BLOCK - 1)
        sums[get_group_id(0)] = value;
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void scan_sums(__global uint *sums, uint n)
{
    __local uint parts[BLOCK], carried;
    uint carry = 0;
    for (uint first = 0; first < n; first += BLOCK) {
        uint i = first + get_local_id(0);
        uint value = carry + scan_group(i < n ? sums[i] : 0, parts);
        if (i < n)
            sums[i] = value;
        if (get_local_id(0) == BLOCK - 1)
            carried = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        carry = carried;
    }
}

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void add_sums(__global uint *out, __global const uint *sums)
{
    if (get_group_id(0))
        out[get_global_id(0)] += sums[get_group_id(0) - 1];
}
