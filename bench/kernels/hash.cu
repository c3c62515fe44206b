// A hash of 32 bits, `rounds` times over.
extern "C" __global__ void __launch_bounds__(256) hash(const unsigned *in, unsigned *out, unsigned n, unsigned rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = in[i];
    for (unsigned k = 0; k < rounds; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
    }
    out[i] = h;
}
