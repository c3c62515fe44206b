// nvcc: -rdc=true -lcudadevrt
// The device runtime, function by function: streams, events, tail and fire-and-forget launches, copies and fills, errors, limits,
// memory, attributes.
#include <cstdio>
#include "checks.h"

__device__ int trace[64], traced;

__global__ void mark(int what) { trace[atomicAdd(&traced, 1)] = what; }

__global__ void order()
{
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(8);
    mark<<<1, 1, 0, a>>>(1);
    mark<<<1, 1, 0, a>>>(2);
    cudaEventRecord(event, a);
    cudaStreamWaitEvent(b, event, 0);
    mark<<<1, 1, 0, b>>>(3);
    mark<<<1, 1>>>(4);
    mark<<<1, 1>>>(5);
    mark<<<1, 1, 0, cudaStreamFireAndForget>>>(6);
    mark<<<1, 1, 0, cudaStreamTailLaunch>>>(9);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
    cudaEventDestroy(event);
    mark<<<1, 1>>>(7);
}

struct Wide { long long a[9]; char c; double d; };
__device__ Wide wide;
__global__ void take(Wide w, short s, float f) { wide = w; wide.a[0] = s; wide.d += f; }
__global__ void give()
{
    Wide w = {};
    for (int i = 0; i < 9; i++) w.a[i] = 100 + i;
    w.c = 'x', w.d = 0.5;
    take<<<1, 1>>>(w, -7, 0.25f);
}

__device__ int data[16];
__global__ void memory()
{
    cudaMemsetAsync(data, 1, 16, 0);
    cudaMemcpyAsync(data + 8, data, 8, cudaMemcpyDeviceToDevice, 0);
    cudaMemset2DAsync(data + 4, 8, 2, 4, 2, 0);
    cudaMemcpy2DAsync(data + 10, 12, data + 4, 8, 4, 2, cudaMemcpyDeviceToDevice, 0);
    cudaMemcpy3DParms p = {};
    p.srcPtr = {data, 8, 8, 2}, p.dstPtr = {data + 14, 4, 4, 1};
    p.extent = {4, 1, 2};
    p.kind = cudaMemcpyDeviceToDevice;
    printf("%d ", cudaMemcpy3DAsync(&p, 0));
    int local;
    printf("%d ", cudaMemcpyAsync(data, &local, 4, cudaMemcpyDeviceToDevice, 0));
    printf("%d ", cudaMemcpyAsync(data, data + 1, 4, cudaMemcpyHostToDevice, 0));
    printf("%d\n", cudaMemsetAsync(&local, 0, 4, 0));
}

__global__ void big() { __shared__ volatile int s[1024]; s[threadIdx.x] = 0; }
__global__ void errors()
{
    printf("%d %d\n", cudaGetLastError(), cudaPeekAtLastError());
    mark<<<1, 2000>>>(0);
    printf("%d ", cudaPeekAtLastError());
    printf("%s: %s ", cudaGetErrorName(cudaPeekAtLastError()), cudaGetErrorString(cudaPeekAtLastError()));
    printf("%d %d\n", cudaGetLastError(), cudaGetLastError());
    mark<<<0, 1>>>(0);
    printf("%d\n", cudaGetLastError());
    mark<<<1, 1, 200000>>>(0);
    printf("%d\n", cudaGetLastError() != cudaSuccess);
    mark<<<1, 1, 0, (cudaStream_t)0x77>>>(0);
    printf("%d\n", cudaGetLastError());
    cudaStream_t stream;
    cudaEvent_t event;
    printf("%d %d\n", cudaStreamCreateWithFlags(&stream, cudaStreamDefault), cudaEventCreateWithFlags(&event, cudaEventDefault));
    printf("%d %d\n", cudaStreamDestroy((cudaStream_t)0x77), cudaEventDestroy((cudaEvent_t)0x77));
    cudaGetLastError();
}

__global__ void limits()
{
    for (int i = 0; i < 6; i++) mark<<<1, 1>>>(i);
    printf("%d\n", cudaGetLastError());
}

__global__ void deep(int depth)
{
    traced = depth;
    deep<<<1, 1>>>(depth + 1);
    cudaError_t error = cudaGetLastError();
    if (error) printf("at depth %d: %s\n", depth, cudaGetErrorName(error));
}

__global__ void ask()
{
    int n, of;
    size_t size;
    printf("%d ", cudaGetDevice(&n)), printf("%d ", n);
    printf("%d ", cudaGetDeviceCount(&n)), printf("%d ", n);
    printf("%d ", cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 0)), printf("%d ", n);
    printf("%d ", cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 5));
    printf("%d ", cudaRuntimeGetVersion(&n)), printf("%d\n", n >= 12000);
    printf("%d ", cudaDeviceGetLimit(&size, cudaLimitDevRuntimePendingLaunchCount)), printf("%d\n", (int)size);
    cudaFuncAttributes attributes;
    printf("%d %d ", cudaFuncGetAttributes(&attributes, big), (int)attributes.sharedSizeBytes);
    printf("%d\n", attributes.maxThreadsPerBlock);
    printf("%d ", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, mark, 1024, 0));
    printf("%d ", n >= 1);
    printf("%d ", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of, mark, 2048, 0)), printf("%d\n", of);
    void *p;
    printf("%d ", cudaMalloc(&p, 100));
    *(int *)p = 5;
    printf("%d ", *(int *)p);
    printf("%d %d ", cudaFree(p), cudaFree(nullptr));
    printf("%d\n", cudaMalloc(&p, 1ll << 40));
}

static void print_trace()
{
    int count, values[64];
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(&count, traced, sizeof count));
    OK(cudaMemcpyFromSymbol(values, trace, sizeof values));
    for (int i = 0; i < count; i++) std::printf("%d ", values[i]);
    std::printf("\n");
    count = 0;
    OK(cudaMemcpyToSymbol(traced, &count, sizeof count));
}

int main()
{
    order<<<1, 1>>>();
    print_trace();
    order<<<2, 1>>>();
    print_trace();
    give<<<1, 1>>>();
    Wide w;
    OK(cudaMemcpyFromSymbol(&w, wide, sizeof w));
    std::printf("%lld %lld %lld %c %g\n", w.a[0], w.a[1], w.a[8], w.c, w.d);
    memory<<<1, 1>>>();
    int ints[16];
    OK(cudaMemcpyFromSymbol(ints, data, sizeof ints));
    for (int v : ints) std::printf("%x ", v);
    std::printf("\n");
    errors<<<1, 1>>>();
    print_trace();
    OK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, 4));
    size_t limit;
    OK(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    limits<<<1, 1>>>();
    print_trace();
    ask<<<1, 1>>>();
    OK(cudaDeviceSynchronize());
    deep<<<1, 1>>>(0);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpyFromSymbol(ints, traced, 4));
    std::printf("%d %d\n", ints[0], wrong);
}
