// A kernel that ends, and one that does not: somebody ends the program.
__global__ void quick(int *out)
{
    out[threadIdx.x] = 1;
}

__global__ void endless(volatile int *out)
{
    if (threadIdx.x == 0)
        out[1] = 5;
    while (out[0] == 0)
        out[2] = 1;
    out[3] = 1;
}

int main()
{
    int *out;
    cudaMalloc(&out, 4096);
    quick<<<1, 32>>>(out);
    cudaMemset(out, 0, 4096);
    endless<<<2, 32>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
