// Arrays indexed at run time, in local memory: an insertion sort, a permutation, a sieve in bytes.

extern "C" __global__ void local_array(const short *in, short *sorted, unsigned char *order, int *primes)
{
    short v[24];
    unsigned char p[24];
    int t = threadIdx.x;
    for (int i = 0; i < 24; ++i) {
        v[i] = in[t * 24 + i];
        p[i] = i;
    }
    for (int i = 1; i < 24; ++i) {
        short x = v[i];
        unsigned char q = p[i];
        int j = i - 1;
        for (; j >= 0 && v[j] > x; --j) {
            v[j + 1] = v[j];
            p[j + 1] = p[j];
        }
        v[j + 1] = x;
        p[j + 1] = q;
    }
    for (int i = 0; i < 24; ++i) {
        sorted[t * 24 + i] = v[i];
        order[t * 24 + i] = p[i];
    }
    bool crossed[100] = {false};
    int count = 0;
    for (int i = 2; i < 50 + t; ++i) {
        if (crossed[i]) continue;
        ++count;
        for (int j = i * i; j < 50 + t; j += i) crossed[j] = true;
    }
    primes[t] = count;
}
