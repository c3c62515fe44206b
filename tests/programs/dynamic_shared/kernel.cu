// Shared memory whose size the launch gives, split into arrays of several types, beside a static array.

extern __shared__ double heap[];

extern "C" __global__ void dynamic(const int *in, double *out, unsigned *size)
{
    __shared__ int fixed[32];
    int t = threadIdx.x, n = blockDim.x;
    double *d = heap;
    int *i = (int *)(d + n);
    unsigned char *b = (unsigned char *)(i + n);
    d[t] = in[t] * 0.5;
    i[n - 1 - t] = in[t];
    b[t] = (unsigned char)in[t];
    fixed[t] = -in[t];
    __syncthreads();
    out[t] = d[(t + 1) % n] + i[t] + b[(t + 2) % n] + fixed[(t + 3) % n];
    if (t == 0) {
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size[0]));
        asm("mov.u32 %0, %%total_smem_size;" : "=r"(size[1]));
        size[1] = size[1] >= size[0] + 128;
    }
}
