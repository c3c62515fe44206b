// Plain loop of histogram_shared.cu, on words as there.
void histogram_shared(const unsigned *restrict in, unsigned *restrict counts, unsigned words)
{
#pragma omp parallel for reduction(+ : counts[ : 256])
    for (unsigned i = 0; i < words; i++) {
        unsigned word = in[i];
        counts[word & 255]++;
        counts[word >> 8 & 255]++;
        counts[word >> 16 & 255]++;
        counts[word >> 24]++;
    }
}
