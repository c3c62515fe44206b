// 36: so many that registers do not suffice.
__global__ void __launch_bounds__(1024) spilled(int *out) {
    int t = threadIdx.x; //# t %d
    int a0 = t * 3, a1 = t * 5, a2 = t * 7, a3 = t * 11; //# a0 %d | a1 %d | a2 %d | a3 %d
    float b0 = a0 * 0.5f, b1 = a1 * 0.25f, b2 = a2 * 0.125f, b3 = a3 * 0.75f; //# b0 %.9g | b1 %.9g | b2 %.9g | b3 %.9g
    double c0 = b0 / 3, c1 = b1 / 7, c2 = b2 / 11, c3 = b3 / 13; //# c0 %.17g | c1 %.17g | c2 %.17g | c3 %.17g
    long long d0 = a0 * 10000000000LL, d1 = d0 + a1, d2 = d1 ^ a2, d3 = d2 - a3; //# d0 %lld | d1 %lld | d2 %lld | d3 %lld
    for (int i = 0; i < 2; i++) { //# i %d
        a0 += a1; a1 += a2; a2 += a3; a3 ^= a0;
        b0 += b1; b1 *= b2; b2 -= b3; b3 += a0;
        c0 += c1 * c2; c3 = c0 - c1; d0 += d1; d2 ^= d3;
    }
    out[t] = a0 + a1 + a2 + a3 + (int)(b0 + b1 + b2 + b3) + (int)(c0 + c1 + c2 + c3) + (int)(d0 + d1 + d2 + d3);
}

// 37: blocks in blocks, and names that hide each other.
__global__ void hidden(int *out) {
    int t = threadIdx.x; //# t %d
    int value = t; //# value %d
    {
        float value = t * 0.5f; //# value %.9g
        {
            short value = -t; //# value %d
            out[t] += value;
        }
        value += 1;
        out[t] += (int)value;
    }
    value *= 2;
    for (int t = 0; t < 2; t++) { //# t %d
        int value = t * 100; //# value %d
        out[threadIdx.x] += value;
    }
    out[t] += value;
}

// 38: lanes that part, and loops that end at different times.
__global__ void parted(int *out) {
    int t = threadIdx.x; //# t %d
    int steps = 0; //# steps %d
    int n = t; //# n %d
    while (n > 1) {
        int last = n; //# last %d
        if (n % 2) { //-
            n = n / 2 + 1;
        } else { //-
            n = n / 2;
        }
        steps += last - n;
    }
    int all = __shfl_sync(~0u, steps, 31); //# all %d
    unsigned votes = __ballot_sync(~0u, steps > 20); //# votes %u
    out[t] = steps + all + votes;
}
