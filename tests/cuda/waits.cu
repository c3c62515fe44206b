// only: 13-shared 13-static
// late: no
// Kernels that wait for what comes after their launch: a flag of the host, a kernel of another stream, commands one after the other.
#include <cstdio>
#include <cooperative_groups.h>
#include "checks.h"

__global__ void wait_for(volatile unsigned *flag, unsigned value, int *out, int mark)
{
    while (*flag < value) {}
    atomicAdd(out, mark);
}
__global__ void set(volatile unsigned *flag, unsigned value) { *flag = value; }
__global__ void add(int *out, int n) { *out += n; }

// Counts as it waits: what it does in a turn of its loop is nothing that others see.
__global__ void patient(unsigned *flag, int *out)
{
    unsigned ns = 8;
    while (atomicAdd(flag, 0) == 0) {
        __nanosleep(ns);
        if (ns < 256) ns *= 2;
    }
    *out = ns;
}

// Waits with a count that never recurs, as `cuda::atomic<unsigned>::wait` does, or as it counts in
// memory that the host sees.
__global__ void counts(volatile unsigned *flag, unsigned *beats, int *out)
{
    unsigned n = 0;
    while (*flag == 0)
        if (beats) atomicAdd(beats, 1); else n++;
    *out = n + 1;
}

// Threads of a block, of which one waits and the others are at a barrier.
__global__ void blocks(volatile unsigned *flag, int *out)
{
    if (threadIdx.x == 0) while (*flag == 0) {}
    __syncthreads();
    atomicAdd(out, 1);
}

// A server: takes a command, answers it, and ends with the last.
__global__ void server(volatile unsigned *command, volatile unsigned *answer)
{
    for (unsigned n = 1;; n++) {
        while (command[0] != n) {}
        unsigned what = command[1];
        __threadfence_system();
        if (what == 0) return;
        answer[1] = what * what;
        __threadfence_system();
        answer[0] = n;
    }
}

__global__ void whole_grid(volatile unsigned *flag, int *out)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) while (*flag == 0) {}
    cooperative_groups::this_grid().sync();
    atomicAdd(out, 1);
}

// The first block waits for the last one.
__global__ void backwards(volatile unsigned *turn, int *out)
{
    while (*turn != gridDim.x - 1 - blockIdx.x) {}
    out[blockIdx.x] = *turn;
    __threadfence();
    *turn = *turn + 1;
}

int main()
{
    unsigned *flag;
    int *out, *pinned, host = 0;
    OK(cudaMallocHost(&flag, 64));
    OK(cudaMallocHost(&pinned, sizeof *pinned));
    *pinned = 0;
    OK(cudaMalloc(&out, 64 * sizeof(int)));
    OK(cudaMemset(out, 0, 64 * sizeof(int)));
    volatile unsigned *seen = flag;
    cudaStream_t a, b;
    cudaEvent_t event;
    OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    OK(cudaEventCreate(&event));

    // The call returns, and what comes behind the kernel in its stream waits.
    *seen = 0;
    wait_for<<<1, 1, 0, a>>>(flag, 1, out, 1);
    add<<<1, 1, 0, a>>>(out, 10);
    OK(cudaMemcpyAsync(pinned, out, sizeof host, cudaMemcpyDeviceToHost, a));
    OK(cudaEventRecord(event, a));
    FAILS(cudaStreamQuery(a), cudaErrorNotReady);
    FAILS(cudaEventQuery(event), cudaErrorNotReady);
    OK(cudaStreamQuery(b));
    *seen = 1;
    OK(cudaStreamSynchronize(a));
    same("what comes behind a kernel that waits", *pinned == 11);
    OK(cudaEventQuery(event));
    OK(cudaStreamQuery(a));

    // A kernel of another stream sets it, and a third waits for the event.
    *seen = 0;
    wait_for<<<2, 32, 0, a>>>(flag, 5, out, 1);
    OK(cudaEventRecord(event, a));
    OK(cudaStreamWaitEvent(b, event, 0));
    add<<<1, 1, 0, b>>>(out, 100);
    cudaStream_t c;
    OK(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
    set<<<1, 1, 0, c>>>(flag, 5);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    same("a kernel of another stream", host == 175);

    // A function of the host sets it.
    *seen = 0;
    wait_for<<<1, 1, 0, a>>>(flag, 7, out, 1);
    OK(cudaLaunchHostFunc(c, [](void *p) { *(volatile unsigned *)p = 7; }, flag));
    OK(cudaStreamSynchronize(a));

    *seen = 0;
    patient<<<1, 1>>>(flag, out);
    *seen = 1;
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    same("a kernel that sleeps", host >= 8);

    for (unsigned *beats : {(unsigned *)nullptr, flag + 1}) {
        seen[0] = seen[1] = 0;
        OK(cudaMemset(out, 0, sizeof host));
        counts<<<1, 1>>>(flag, beats, out);
        while (beats && seen[1] == 0) {}
        *seen = 1;
        OK(cudaDeviceSynchronize());
        OK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
        same("a kernel that counts", beats ? host == 1 && seen[1] > 0 : host > 1);
    }

    OK(cudaMemset(out, 0, sizeof host));
    *seen = 0;
    blocks<<<4, 128, 0, a>>>(flag, out);
    *seen = 1;
    OK(cudaStreamSynchronize(a));
    OK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    same("blocks", host == 512);

    unsigned *managed;
    OK(cudaMallocManaged(&managed, 64));
    volatile unsigned *command = managed, *answer = managed + 4;
    command[0] = answer[0] = 0;
    server<<<1, 1>>>(managed, managed + 4);
    unsigned sum = 0;
    for (unsigned n = 1; n <= 20; n++) {
        command[1] = n;
        command[0] = n;
        while (answer[0] != n) {}
        sum += answer[1];
    }
    command[1] = 0, command[0] = 21;
    OK(cudaDeviceSynchronize());
    same("a server", sum == 2870);

    OK(cudaMemset(out, 0, sizeof host));
    *seen = 0;
    unsigned *argument = flag;
    void *arguments[] = {&argument, &out};
    OK(cudaLaunchCooperativeKernel((void *)whole_grid, 4, 64, arguments, 0, a));
    FAILS(cudaStreamQuery(a), cudaErrorNotReady);
    *seen = 1;
    OK(cudaStreamSynchronize(a));
    OK(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
    same("a grid", host == 256);

    *seen = 0;
    backwards<<<40, 1, 0, a>>>(flag, out);
    OK(cudaStreamSynchronize(a));
    int order[40], bad = 0;
    OK(cudaMemcpy(order, out, sizeof order, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 40; i++) bad += order[i] != 39 - i;
    same("blocks that wait for later ones", bad == 0);

    for (cudaStream_t stream : {a, b, c}) OK(cudaStreamDestroy(stream));
    OK(cudaEventDestroy(event));
    for (void *memory : {(void *)out, (void *)managed}) OK(cudaFree(memory));
    for (void *memory : {(void *)flag, (void *)pinned}) OK(cudaFreeHost(memory));
    std::printf("%d\n", wrong);
}
