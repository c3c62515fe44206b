// Plain loops of search.cu.
void search(const unsigned char *restrict text, const unsigned char *restrict pattern, unsigned char *restrict found,
    unsigned *restrict count, unsigned places, unsigned length)
{
    unsigned all = 0;
#pragma omp parallel for reduction(+ : all)
    for (unsigned i = 0; i < places; i++) {
        unsigned k = 0;
        while (k < length && text[i + k] == pattern[k])
            k++;
        found[i] = k == length;
        all += k == length;
    }
    *count = all;
}
