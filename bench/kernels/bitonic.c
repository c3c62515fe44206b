// Plain loops of bitonic.cu: the same network.
enum { KEYS = 1024 };

void bitonic(unsigned *restrict keys, unsigned parts)
{
#pragma omp parallel for
    for (unsigned p = 0; p < parts; p++) {
        unsigned *part = keys + p * KEYS;
        for (unsigned size = 2; size <= KEYS; size *= 2)
            for (unsigned distance = size / 2; distance; distance /= 2)
                for (unsigned thread = 0; thread < KEYS / 2; thread++) {
                    unsigned low = 2 * thread - (thread & (distance - 1)), high = low + distance;
                    unsigned up = (low & size) == 0, a = part[low], b = part[high];
                    unsigned swap = (a > b) == up;
                    part[low] = swap ? b : a;
                    part[high] = swap ? a : b;
                }
    }
}
