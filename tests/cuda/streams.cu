// Streams, events, host functions and callbacks: work is done in order.
#include <cstdio>

__global__ void add(int *value, int what) { atomicAdd(value, what); }

static int order;

static void CUDART_CB host(void *data) { std::printf("host function %d, %d\n", *(int *)data, ++order); }

static void CUDART_CB callback(cudaStream_t, cudaError_t status, void *data)
{
    std::printf("callback %d, %d, %s\n", *(int *)data, ++order, cudaGetErrorName(status));
}

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

int main()
{
    int least = -1, greatest = -1;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    std::printf("priorities %d to %d\n", least, greatest);

    cudaStream_t plain, quick;
    CHECK(cudaStreamCreate(&plain));
    CHECK(cudaStreamCreateWithPriority(&quick, cudaStreamNonBlocking, greatest));
    unsigned flags = 9;
    int priority = 9, device = 9;
    CHECK(cudaStreamGetFlags(quick, &flags));
    CHECK(cudaStreamGetPriority(quick, &priority));
    std::printf("flags %u, priority %d\n", flags, priority);
    CHECK(cudaStreamGetPriority(plain, &priority));
    std::printf("priority %d\n", priority);
    unsigned long long one = 0, other = 0;
    CHECK(cudaStreamGetId(plain, &one));
    CHECK(cudaStreamGetId(quick, &other));
    std::printf("different %d\n", one != other);
#if CUDART_VERSION >= 12080
    CHECK(cudaStreamGetDevice(plain, &device));
    std::printf("device %d\n", device);
#else
    std::printf("device 0\n");
#endif

    int *value, result = 0, seven = 7;
    CHECK(cudaMalloc(&value, sizeof *value));
    CHECK(cudaMemsetAsync(value, 0, sizeof *value, plain));
    cudaEvent_t start, end, untimed;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK(cudaEventRecord(start, plain));
    add<<<1, 32, 0, plain>>>(value, 1);
    CHECK(cudaLaunchHostFunc(plain, host, &seven));
    add<<<1, 32, 0, plain>>>(value, 2);
    CHECK(cudaStreamAddCallback(plain, callback, &seven, 0));
    CHECK(cudaEventRecord(end, plain));
    CHECK(cudaStreamWaitEvent(quick, end, 0));
    add<<<1, 1, 0, quick>>>(value, 100);
    CHECK(cudaEventRecord(untimed, quick));
    CHECK(cudaEventSynchronize(untimed));
    CHECK(cudaEventQuery(end));
    CHECK(cudaStreamQuery(plain));
    CHECK(cudaMemcpyAsync(&result, value, sizeof result, cudaMemcpyDeviceToHost, quick));
    CHECK(cudaStreamSynchronize(quick));
    std::printf("result %d\n", result);

    float ms = -1;
    CHECK(cudaEventElapsedTime(&ms, start, end));
    std::printf("time %s\n", ms >= 0 && ms < 60000 ? "passed" : "is wrong");
    std::printf("untimed: %s\n", cudaGetErrorName(cudaEventElapsedTime(&ms, start, untimed)));
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    CHECK(cudaStreamIsCapturing(plain, &status));
    std::printf("capture %d\n", status);

    CHECK(cudaEventDestroy(start));
    std::printf("twice: %s\n", cudaGetErrorName(cudaEventDestroy(start)));
    CHECK(cudaStreamDestroy(plain));
    std::printf("twice: %s\n", cudaGetErrorName(cudaStreamDestroy(plain)));
    CHECK(cudaStreamDestroy(quick));
    add<<<1, 1, 0, cudaStreamLegacy>>>(value, 1);
    add<<<1, 1, 0, cudaStreamPerThread>>>(value, 1);
    CHECK(cudaGetLastError() == cudaErrorInvalidResourceHandle ? cudaSuccess : cudaErrorUnknown);
    CHECK(cudaMemcpy(&result, value, sizeof result, cudaMemcpyDeviceToHost));
    std::printf("result %d\n", result);
}
