// Where a pattern of bytes begins in a text: a thread looks at a place, and stops at the first byte that differs.
extern "C" __global__ void __launch_bounds__(256) search(const unsigned char *text, const unsigned char *pattern,
    unsigned char *found, unsigned *count, unsigned places, unsigned length)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= places)
        return;
    unsigned k = 0;
    while (k < length && text[i + k] == pattern[k])
        k++;
    found[i] = k == length;
    if (k == length)
        atomicAdd(count, 1);
}
