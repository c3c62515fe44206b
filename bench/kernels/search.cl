// Twin of search.cu.
__kernel void search(__global const uchar *text, __global const uchar *pattern, __global uchar *found,
    __global uint *count, uint places, uint length)
{
    uint i = get_global_id(0);
    if (i >= places)
        return;
    uint k = 0;
    while (k < length && text[i + k] == pattern[k])
        k++;
    found[i] = k == length;
    if (k == length)
        atomic_add(count, 1);
}
