// Loops of different lengths with break and continue, nested, and a loop that two gotos enter in the middle.

extern "C" __global__ void divergence(const unsigned *in, unsigned *steps, unsigned *mixed)
{
    int t = threadIdx.x;
    unsigned n = in[t], count = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (++count == 150) break;
    }
    steps[t] = count;

    unsigned sum = 0;
    for (int i = 0; i < t; ++i) {
        if ((in[t] >> (i % 8)) & 1) continue;
        for (int j = i; j < t; j += 1 + (in[t] & 3)) {
            if (j * i > 300) break;
            if ((j ^ i) % 5 == 3) continue;
            sum += i * j + 1;
        }
        if (sum > 5000) { sum |= 0x80000000u; break; }
    }
    unsigned k = in[t] % 9;
    if (k > 4) goto second;
first:
    sum = sum * 31 + k;
    if (k == 0) goto done;
second:
    sum ^= k << 8;
    if (k-- > 2) goto first;
    if (sum & 1) { k = 0; goto first; }
done:
    mixed[t] = sum;
}
