// Twin of hash.cu.
__kernel void hash(__global const uint *in, __global uint *out, uint n, uint rounds)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint h = in[i];
    for (uint k = 0; k < rounds; k++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
    }
    out[i] = h;
}
