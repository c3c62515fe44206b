// Memory, pools and events of another process, and processes that are forked off before and after CUDA is initialised.
#include "checks.h"
#include "files.h"
#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

const int N = 256;

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }

struct Message {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData of_pool;
};

static void wait_for(int peer)
{
    char byte;
    same("the other side", read(peer, &byte, 1) == 1);
}

static void go_on(int peer) { same("the other side", write(peer, "", 1) == 1); }

static bool all_are(const int *memory, int value)
{
    int host[N];
    OK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        if (host[i] != value) return false;
    return true;
}

static int exports(int peer)
{
    int *memory, *of_pool, file = -1;
    Message message;
    cudaEvent_t event;
    OK(cudaMalloc(&memory, N * sizeof(int)));
    OK(cudaMemset(memory, 0, N * sizeof(int)));
    OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    OK(cudaIpcGetMemHandle(&message.memory, memory));
    OK(cudaIpcGetEventHandle(&message.event, event));
    FAILS(cudaIpcGetMemHandle(&message.memory, memory + 1), cudaErrorInvalidValue);
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location = {cudaMemLocationTypeDevice, 0};
    cudaMemPool_t pool;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync(&of_pool, N * sizeof(int), pool, 0));
    OK(cudaMemsetAsync(of_pool, 0, N * sizeof(int), 0));
    OK(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    OK(cudaMemPoolExportPointer(&message.of_pool, of_pool));
    add<<<1, N>>>(memory, 1);
    add<<<1, N>>>(of_pool, 10);
    OK(cudaEventRecord(event, 0));
    same("sent", write(peer, &message, sizeof message) == sizeof message);
    send_file(peer, file);
    close(file);
    wait_for(peer);
    // What the other process has done.
    OK(cudaEventSynchronize(event));
    same("memory", all_are(memory, 3));
    same("memory of a pool", all_are(of_pool, 30));
    OK(cudaFree(memory));
    OK(cudaFreeAsync(of_pool, 0));
    OK(cudaMemPoolDestroy(pool));
    OK(cudaEventDestroy(event));
    go_on(peer);
    return wrong;
}

static void imports(int peer)
{
    Message message;
    same("received", recv(peer, &message, sizeof message, MSG_WAITALL) == sizeof message);
    int file = receive_file(peer), *memory, *again, *of_pool;
    cudaEvent_t event;
    cudaMemPool_t pool;
    OK(cudaIpcOpenEventHandle(&event, message.event));
    OK(cudaStreamWaitEvent(0, event, 0));
    FAILS(cudaIpcOpenMemHandle((void **)&memory, message.memory, 0), cudaErrorInvalidValue);
    OK(cudaIpcOpenMemHandle((void **)&memory, message.memory, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, message.memory, cudaIpcMemLazyEnablePeerAccess));
    same("opened twice", memory == again);
    OK(cudaIpcCloseMemHandle(again));
    OK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(size_t)file, cudaMemHandleTypePosixFileDescriptor, 0));
    close(file);
    FAILS(cudaMallocFromPoolAsync(&of_pool, 16, pool, 0), cudaErrorInvalidValue);
    OK(cudaMemPoolImportPointer((void **)&of_pool, pool, &message.of_pool));
    same("memory of another process", all_are(memory, 1));
    same("a pool of another process", all_are(of_pool, 10));
    add<<<1, N>>>(memory, 2);
    add<<<1, N>>>(of_pool, 20);
    OK(cudaEventRecord(event, 0));
    OK(cudaFreeAsync(of_pool, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaEventDestroy(event));
    OK(cudaIpcCloseMemHandle(memory));
    FAILS(cudaIpcCloseMemHandle(memory), cudaErrorInvalidValue);
    OK(cudaMemPoolDestroy(pool));
    go_on(peer);
    wait_for(peer);
    FAILS(cudaIpcOpenMemHandle((void **)&memory, message.memory, cudaIpcMemLazyEnablePeerAccess),
          cudaErrorMapBufferObjectFailed);
}

static int ended(pid_t child)
{
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main()
{
    int peers[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, peers)) return 2;
    // Before CUDA is initialised: each of the two has its own.
    pid_t child = fork();
    if (child == 0) {
        int all = exports(peers[1]);
        std::fflush(stdout);
        _exit(all);
    }
    imports(peers[0]);
    same("the process that exports", ended(child) == 0);
    // After it: the child has none.
    child = fork();
    if (child == 0) {
        int count, *memory;
        FAILS(cudaGetDeviceCount(&count), cudaErrorInitializationError);
        FAILS(cudaMalloc(&memory, 16), cudaErrorInitializationError);
        std::fflush(stdout);
        _exit(wrong);
    }
    same("a process that was forked off later", ended(child) == 0);
    int *memory;
    OK(cudaMalloc(&memory, N * sizeof(int)));
    OK(cudaFree(memory));
    std::printf("%d wrong\n", wrong);
}
