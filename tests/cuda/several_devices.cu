// run: --device sm_86,sm_75
// Two devices: memory, streams, events and errors of each, and copies between them.
#include "checks.h"
#include <cstdio>
#include <thread>
#include <vector>

const int N = 32;

__device__ int base = 100;

__global__ void fill(int *out, int by) { out[threadIdx.x] = base + threadIdx.x * by; }

static bool holds(const int *memory, int base, int by)
{
    std::vector<int> host(N);
    OK(cudaMemcpy(host.data(), memory, N * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        if (host[i] != base + i * by) return false;
    return true;
}

static int current()
{
    int device = -1;
    OK(cudaGetDevice(&device));
    return device;
}

int main()
{
    int count = 0, can = -1, *memory[2];
    OK(cudaGetDeviceCount(&count));
    for (int d = 0; d < count; d++) {
        cudaDeviceProp properties;
        OK(cudaGetDeviceProperties(&properties, d));
        std::printf("%d: %s, sm_%d%d, bus %d\n", d, properties.name, properties.major, properties.minor,
                    properties.pciBusID);
    }
    FAILS(cudaSetDevice(2), cudaErrorInvalidDevice);
    same("device", current() == 0);

    // Each has its own variables and memory, at addresses that tell the device.
    for (int d = 0; d < 2; d++) {
        OK(cudaSetDevice(d));
        int value = 100 * (d + 1);
        OK(cudaMemcpyToSymbol(base, &value, sizeof value));
        OK(cudaMalloc(&memory[d], N * sizeof(int)));
        fill<<<1, N>>>(memory[d], d + 1);
        OK(cudaDeviceSynchronize());
    }
    same("fill of 0", holds(memory[0], 100, 1));
    same("fill of 1", holds(memory[1], 200, 2));
    OK(cudaSetDevice(0));
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, memory[1]));
    same("device of memory", attributes.device == 1 && attributes.type == cudaMemoryTypeDevice);
    // A new thread begins with the first device.
    OK(cudaSetDevice(1));
    std::thread([] { same("device of a thread", current() == 0); }).join();
    same("device of this one", current() == 1);

    // Copies between them; kernels reach their own only.
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    same("no access", can == 0);
    cudaMemPool_t pool;
    cudaMemAccessDesc access;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = 1;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    FAILS(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
    access.flags = cudaMemAccessFlagsProtNone;
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    OK(cudaMemcpyPeer(memory[0], 0, memory[1], 1, N * sizeof(int)));
    same("copy to 0", holds(memory[0], 200, 2));
    fill<<<1, N>>>(memory[1], 7);
    OK(cudaMemcpy(memory[0], memory[1], N * sizeof(int), cudaMemcpyDefault));
    same("copy by addresses", holds(memory[0], 200, 7));

    // A launch and an event go with the stream of their device; copies with any.
    cudaStream_t stream;
    cudaEvent_t here, there;
    OK(cudaStreamCreate(&stream));
    OK(cudaEventCreate(&there));
    OK(cudaEventRecord(there, stream));
    OK(cudaSetDevice(0));
    OK(cudaEventCreate(&here));
    OK(cudaEventRecord(here, 0));
    fill<<<1, N, 0, stream>>>(memory[1], 9);
    FAILS(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    FAILS(cudaEventRecord(here, stream), cudaErrorInvalidResourceHandle);
    float time;
    FAILS(cudaEventElapsedTime(&time, here, there), cudaErrorInvalidResourceHandle);
    OK(cudaStreamWaitEvent(0, there, 0));
    OK(cudaMemcpyAsync(memory[1], memory[0], N * sizeof(int), cudaMemcpyDefault, stream));
    OK(cudaStreamSynchronize(stream));
    same("copy in another's stream", holds(memory[1], 200, 7));

    // A kernel that goes wrong ends the context of its device, and only that.
    OK(cudaSetDevice(1));
    fill<<<1, N>>>(memory[0], 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaSetDevice(0));
    OK(cudaDeviceSynchronize());
    fill<<<1, N>>>(memory[0], 3);
    same("the other device", holds(memory[0], 100, 3));
    OK(cudaSetDevice(1));
    FAILS(cudaMalloc(&memory[1], 4), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaMalloc(&memory[1], N * sizeof(int)));
    fill<<<1, N>>>(memory[1], 4);
    same("fill after a reset", holds(memory[1], 100, 4));
    same("what stays", holds(memory[0], 100, 3));
    std::printf("%d wrong\n", wrong);
}
