// Plain loop of reduce.cu; the order of the sum is free, as it is there.
void reduce(const float *restrict in, float *restrict total, unsigned n)
{
    float sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
    for (unsigned i = 0; i < n; i++)
        sum += in[i];
    *total = sum;
}
