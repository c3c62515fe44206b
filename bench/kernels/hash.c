// Plain loops of hash.cu.
void hash(const unsigned *restrict in, unsigned *restrict out, unsigned n, unsigned rounds)
{
#pragma omp parallel for
    for (unsigned i = 0; i < n; i++) {
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
}
