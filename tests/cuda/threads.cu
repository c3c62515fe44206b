// Host threads: a device, a last error and a configuration of their own; kernels at the same time.
#include <cstdio>
#include <thread>
#include <vector>

__global__ void count(int *out, int n)
{
    for (int i = 0; i < n; i++)
        atomicAdd(out, 1);
}

int main()
{
    const int workers = 8;
    int *out, results[workers] = {}, errors[workers] = {};
    cudaMalloc(&out, workers * sizeof(int));
    cudaMemset(out, 0, workers * sizeof(int));
    std::vector<std::thread> threads;
    for (int w = 0; w < workers; w++)
        threads.emplace_back([=, &results, &errors] {
            cudaStream_t stream;
            cudaStreamCreate(&stream);
            for (int round = 0; round < 20; round++)
                count<<<1, 32, 0, stream>>>(out + w, w + 1);
            cudaStreamSynchronize(stream);
            cudaMemcpyAsync(&results[w], out + w, sizeof(int), cudaMemcpyDeviceToHost, stream);
            cudaStreamDestroy(stream);
            if (w % 2)
                cudaSetDevice(5);
            errors[w] = cudaGetLastError();
        });
    for (auto &thread : threads)
        thread.join();
    for (int w = 0; w < workers; w++)
        std::printf("%d %s\n", results[w], cudaGetErrorName((cudaError_t)errors[w]));
    std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
