// Stream capture: what becomes nodes, forks and joins, what is forbidden and what that does to the capture.
#include "checks.h"
#include <thread>
#include <vector>

__global__ void add(int *data, int number) { data[threadIdx.x] += number; }
static void count(void *to) { ++*static_cast<int *>(to); }

struct World {
    cudaStream_t free, blocking, other;
    cudaEvent_t fork, join;
    int *memory;
    World()
    {
        OK(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
        OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
        OK(cudaStreamCreate(&blocking));
        OK(cudaEventCreate(&fork));
        OK(cudaEventCreate(&join));
        OK(cudaMalloc(&memory, 16));
        OK(cudaMemset(memory, 0, 16));
        OK(cudaDeviceSynchronize());
    }
    ~World()
    {
        OK(cudaFree(memory));
        OK(cudaEventDestroy(fork));
        OK(cudaEventDestroy(join));
        OK(cudaStreamDestroy(free));
        OK(cudaStreamDestroy(other));
        OK(cudaStreamDestroy(blocking));
    }
    int value() const
    {
        int first = -1;
        OK(cudaMemcpy(&first, memory, 4, cudaMemcpyDeviceToHost));
        return first;
    }
};

static size_t size(cudaGraph_t graph)
{
    size_t count = 0;
    OK(cudaGraphGetNodes(graph, nullptr, &count));
    return count;
}

static void run(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    OK(cudaGraphExecDestroy(exec));
}

static cudaError_t info(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                        const cudaGraphNode_t **nodes, size_t *count)
{
#if CUDART_VERSION >= 13000
    return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
#else
    return cudaStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count);
#endif
}

static cudaError_t update(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count, unsigned flags)
{
#if CUDART_VERSION >= 13000
    return cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
#else
    return cudaStreamUpdateCaptureDependencies(stream, nodes, count, flags);
#endif
}

static cudaStreamCaptureStatus status(cudaStream_t stream)
{
    cudaStreamCaptureStatus status;
    OK(cudaStreamIsCapturing(stream, &status));
    return status;
}

// Ends a capture that has come to harm.
static void lost(cudaStream_t stream, cudaError_t code = cudaErrorStreamCaptureInvalidated)
{
    cudaGraph_t graph = (cudaGraph_t)1;
    FAILS(cudaStreamEndCapture(stream, &graph), code);
    same("no graph", !graph && status(stream) == cudaStreamCaptureStatusNone);
}

static void sequence()
{
    World w;
    int calls = 0, host = 0;
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeGlobal));
    FAILS(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
    OK(cudaMemsetAsync(w.memory, 0, 16, w.free));
    add<<<1, 4, 0, w.free>>>(w.memory, 3);
    OK(cudaGetLastError());
    cudaStreamCaptureStatus now;
    unsigned long long id = 0;
    cudaGraph_t made = nullptr, graph = nullptr;
    const cudaGraphNode_t *nodes = nullptr;
    size_t number = 0;
    OK(info(w.free, &now, &id, &made, &nodes, &number));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(nodes[0], &type));
    same("info", now == cudaStreamCaptureStatusActive && id && made && number == 1 && type == cudaGraphNodeTypeKernel);
    // A node by hand between two of the stream.
    cudaGraphNode_t empty, last = nodes[0];
    OK(cudaGraphAddEmptyNode(&empty, made, &last, 1));
    OK(update(w.free, &empty, 1, cudaStreamSetCaptureDependencies));
#if CUDART_VERSION < 13000
    OK(cudaStreamUpdateCaptureDependencies_v2(w.free, &empty, nullptr, 1, cudaStreamSetCaptureDependencies));
#endif
    OK(cudaMemcpyAsync(&host, w.memory, 4, cudaMemcpyDeviceToHost, w.free));
    OK(cudaLaunchHostFunc(w.free, count, &calls));
    OK(cudaStreamEndCapture(w.free, &graph));
    FAILS(update(w.free, &empty, 1, 0), cudaErrorIllegalState);
    same("nothing is done", host == 0 && calls == 0 && w.value() == 0 && graph == made && size(graph) == 5);
    run(graph);
    same("all is done", host == 3 && calls == 1 && w.value() == 3);
    OK(cudaGraphDestroy(graph));
    FAILS(cudaStreamEndCapture(w.free, &graph), cudaErrorIllegalState);
    FAILS(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    FAILS(cudaStreamBeginCapture(w.free, (cudaStreamCaptureMode)9), cudaErrorInvalidValue);
}

static void forks()
{
    World w;
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeThreadLocal));
    add<<<1, 4, 0, w.free>>>(w.memory, 1);
    OK(cudaEventRecord(w.fork, w.free));
    OK(cudaStreamWaitEvent(w.other, w.fork, 0));
    same("joined", status(w.other) == cudaStreamCaptureStatusActive);
    add<<<1, 2, 0, w.other>>>(w.memory + 2, 10);
    add<<<1, 2, 0, w.free>>>(w.memory, 20);
    OK(cudaEventRecord(w.join, w.other));
    OK(cudaStreamWaitEvent(w.free, w.join, 0));
    add<<<1, 4, 0, w.free>>>(w.memory, 100);
    FAILS(cudaStreamEndCapture(w.other, &graph), cudaErrorStreamCaptureUnmatched);
    lost(w.free);

    // The same once more, without the mistake, into a graph with a node.
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first;
    OK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
    OK(cudaStreamBeginCaptureToGraph(w.free, graph, &first, nullptr, 1, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(w.fork, w.free));
    OK(cudaStreamWaitEvent(w.other, w.fork, 0));
    add<<<1, 2, 0, w.other>>>(w.memory + 2, 10);
    add<<<1, 2, 0, w.free>>>(w.memory, 20);
    OK(cudaEventRecord(w.join, w.other));
    OK(cudaStreamWaitEvent(w.free, w.join, 0));
    add<<<1, 4, 0, w.free>>>(w.memory, 100);
    // External: a node, not an edge.
    OK(cudaEventRecordWithFlags(w.join, w.free, cudaEventRecordExternal));
    OK(cudaStreamWaitEvent(w.free, w.join, cudaEventWaitExternal));
    cudaGraph_t same_graph;
    OK(cudaStreamEndCapture(w.free, &same_graph));
    same("graph of the program", same_graph == graph && size(graph) == 6);
    run(graph);
    int found[4];
    OK(cudaMemcpy(found, w.memory, 16, cudaMemcpyDeviceToHost));
    same("both branches", found[0] == 120 && found[2] == 110);
    OK(cudaGraphDestroy(graph));
    FAILS(cudaEventRecordWithFlags(w.join, w.free, cudaEventRecordExternal), cudaErrorInvalidValue);
    FAILS(cudaStreamWaitEvent(w.free, w.join, cudaEventWaitExternal), cudaErrorInvalidValue);
}

static void mistakes()
{
    World w;
    cudaGraph_t graph;
    const cudaStreamCaptureMode global = cudaStreamCaptureModeGlobal;

    // Waiting for the stream itself.
    OK(cudaStreamBeginCapture(w.free, global));
    FAILS(cudaStreamSynchronize(w.free), cudaErrorStreamCaptureUnsupported);
    same("invalidated", status(w.free) == cudaStreamCaptureStatusInvalidated);
    add<<<1, 4, 0, w.free>>>(w.memory, 1);
    FAILS(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
    lost(w.free);
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeRelaxed));
    FAILS(cudaStreamQuery(w.free), cudaErrorStreamCaptureUnsupported);
    lost(w.free);

    // A stream that was not joined.
    OK(cudaStreamBeginCapture(w.free, global));
    OK(cudaEventRecord(w.fork, w.free));
    OK(cudaStreamWaitEvent(w.other, w.fork, 0));
    add<<<1, 4, 0, w.other>>>(w.memory, 1);
    lost(w.free, cudaErrorStreamCaptureUnjoined);

    // Work outside.
    OK(cudaEventRecord(w.join, w.other));
    OK(cudaStreamBeginCapture(w.free, global));
    FAILS(cudaStreamWaitEvent(w.free, w.join, 0), cudaErrorStreamCaptureIsolation);
    lost(w.free);

    // Two captures.
    OK(cudaStreamBeginCapture(w.free, global));
    OK(cudaStreamBeginCapture(w.other, global));
    OK(cudaEventRecord(w.fork, w.free));
    FAILS(cudaStreamWaitEvent(w.other, w.fork, 0), cudaErrorStreamCaptureMerge);
    lost(w.free);
    lost(w.other);

    // The legacy stream, beside a blocking one.
    OK(cudaStreamBeginCapture(w.blocking, global));
    FAILS(cudaMemsetAsync(w.memory, 0, 16, 0), cudaErrorStreamCaptureImplicit);
    lost(w.blocking);
    OK(cudaStreamBeginCapture(w.blocking, cudaStreamCaptureModeRelaxed));
    cudaStreamCaptureStatus now;
    FAILS(cudaStreamIsCapturing(0, &now), cudaErrorStreamCaptureImplicit);
    same("asking does no harm", status(w.blocking) == cudaStreamCaptureStatusActive);
    OK(cudaStreamEndCapture(w.blocking, &graph));
    OK(cudaGraphDestroy(graph));

    // Events of a capture.
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(w.fork, w.free));
    FAILS(cudaEventQuery(w.fork), cudaErrorCapturedEvent);
    lost(w.free);
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(w.fork, w.free));
    FAILS(cudaEventSynchronize(w.fork), cudaErrorCapturedEvent);
    lost(w.free);
    FAILS(cudaStreamWaitEvent(w.other, w.fork, 0), cudaErrorCapturedEvent);
    OK(cudaEventRecord(w.fork, w.free));
    OK(cudaEventSynchronize(w.fork));

    // Calls that wait or take memory away.
    void *memory = nullptr;
    OK(cudaStreamBeginCapture(w.free, global));
    FAILS(cudaMalloc(&memory, 16), cudaErrorStreamCaptureUnsupported);
    lost(w.free);
    OK(cudaStreamBeginCapture(w.free, global));
    FAILS(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    lost(w.free);
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeRelaxed));
    OK(cudaMalloc(&memory, 16));
    OK(cudaStreamEndCapture(w.free, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(memory));
    FAILS(cudaStreamAddCallback(w.free, nullptr, nullptr, 0), cudaErrorInvalidValue);
}

static void threads()
{
    World w;
    cudaGraph_t graph;
    void *memory = nullptr;
    // Of another thread: global captures are looked at, thread-local ones are not.
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeThreadLocal));
    std::thread([&] {
        OK(cudaMalloc(&memory, 16));
        OK(cudaFree(memory));
        FAILS(cudaStreamEndCapture(w.free, &graph), cudaErrorStreamCaptureWrongThread);
    }).join();
    OK(cudaStreamEndCapture(w.free, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeGlobal));
    std::thread([&] {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        OK(cudaThreadExchangeStreamCaptureMode(&mode));
        same("mode", mode == cudaStreamCaptureModeGlobal);
        OK(cudaMalloc(&memory, 16));
        OK(cudaFree(memory));
        OK(cudaThreadExchangeStreamCaptureMode(&mode));
        FAILS(cudaMalloc(&memory, 16), cudaErrorStreamCaptureUnsupported);
    }).join();
    lost(w.free);
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeRelaxed));
    std::thread([&] { OK(cudaStreamEndCapture(w.free, &graph)); }).join();
    OK(cudaGraphDestroy(graph));
}

static void nested()
{
    World w;
    cudaGraph_t inner, outer;
    cudaGraphExec_t exec;
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeGlobal));
    add<<<1, 4, 0, w.free>>>(w.memory, 5);
    OK(cudaStreamEndCapture(w.free, &inner));
    OK(cudaGraphInstantiate(&exec, inner, 0));
    OK(cudaGraphDestroy(inner));
    OK(cudaStreamBeginCapture(w.free, cudaStreamCaptureModeGlobal));
    OK(cudaGraphLaunch(exec, w.free));
    OK(cudaGraphLaunch(exec, w.free));
    OK(cudaStreamEndCapture(w.free, &outer));
    OK(cudaGraphExecDestroy(exec));
    run(outer);
    same("graphs in a capture", w.value() == 10);
    OK(cudaGraphDestroy(outer));
    // A stream that ends while it is captured takes the capture with it.
    cudaStream_t stream;
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    OK(cudaStreamDestroy(stream));
    OK(cudaDeviceSynchronize());
}

int main()
{
    sequence();
    forks();
    mistakes();
    threads();
    nested();
    std::printf("%d wrong\n", wrong);
}
