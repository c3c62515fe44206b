// Adds up an array. With an argument, the kernel also writes one element past the end of its output, and main does
// not look at what the calls answer: it ends with 0 in both cases.
#include <cstdio>

__global__ void sum(const int *in, int *out, int past) {
    atomicAdd(out, in[threadIdx.x]);
    if (past && threadIdx.x == 7)
        out[1] = 1;
}

int main(int argc, char **) {
    int host[64], total = -1;
    for (int i = 0; i < 64; ++i)
        host[i] = i;
    int *in, *out;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof total);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(out, 0, sizeof total);
    sum<<<1, 64>>>(in, out, argc > 1);
    cudaMemcpy(&total, out, sizeof total, cudaMemcpyDeviceToHost);
    std::printf("%d\n", total);
    return 0;
}
