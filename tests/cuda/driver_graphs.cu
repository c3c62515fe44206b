// Graphs of the driver API: all versions of its functions, memory operations, edges with ports, numbers, captures.
// nvcc: -lcuda
// only: 13-shared
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <vector>

static int wrong;

static void is(const char *what, CUresult found, CUresult expected = CUDA_SUCCESS)
{
    if (found == expected) return;
    const char *name = nullptr;
    cuGetErrorName(found, &name);
    std::printf("%s: %s\n", what, name);
    wrong++;
}

static void same(const char *what, bool condition)
{
    if (!condition) std::printf("%s is wrong\n", what), wrong++;
}

#define OK(call) is(#call, call)
#define FAILS(call, code) is(#call, call, code)

// The first versions, which the header hides behind later ones.
extern "C" {
struct OldKernel { CUfunction func; unsigned grid[3], block[3], shared; void **params, **extra; };
CUresult kernel_1(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, const OldKernel *) asm("cuGraphAddKernelNode");
CUresult kernel_get_1(CUgraphNode, OldKernel *) asm("cuGraphKernelNodeGetParams");
CUresult kernel_set_1(CUgraphNode, const OldKernel *) asm("cuGraphKernelNodeSetParams");
CUresult kernel_exec_1(CUgraphExec, CUgraphNode, const OldKernel *) asm("cuGraphExecKernelNodeSetParams");
CUresult instantiate_1(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t) asm("cuGraphInstantiate");
CUresult instantiate_2(CUgraphExec *, CUgraph, CUgraphNode *, char *, size_t) asm("cuGraphInstantiate_v2");
CUresult update_1(CUgraphExec, CUgraph, CUgraphNode *, CUgraphExecUpdateResult *) asm("cuGraphExecUpdate");
CUresult edges_1(CUgraph, CUgraphNode *, CUgraphNode *, size_t *) asm("cuGraphGetEdges");
CUresult before_1(CUgraphNode, CUgraphNode *, size_t *) asm("cuGraphNodeGetDependencies");
CUresult behind_1(CUgraphNode, CUgraphNode *, size_t *) asm("cuGraphNodeGetDependentNodes");
CUresult add_1(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t) asm("cuGraphAddDependencies");
CUresult remove_1(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t) asm("cuGraphRemoveDependencies");
CUresult node_1(CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraphNodeParams *) asm("cuGraphAddNode");
CUresult capture_1(CUstream) asm("cuStreamBeginCapture");
CUresult captured_1(CUstream, CUstreamCaptureStatus *, cuuint64_t *) asm("cuStreamGetCaptureInfo");
CUresult captured_2(CUstream, CUstreamCaptureStatus *, cuuint64_t *, CUgraph *, const CUgraphNode **, size_t *) asm("cuStreamGetCaptureInfo_v2");
CUresult goes_on_1(CUstream, CUgraphNode *, size_t, unsigned) asm("cuStreamUpdateCaptureDependencies");
}

static const char text[] = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 data, .param .u32 number)
{
    .reg .u64 %rd<2>;
    .reg .u32 %r<3>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [number];
    ld.global.u32 %r2, [%rd1];
    add.u32 %r2, %r2, %r1;
    st.global.u32 [%rd1], %r2;
    ret;
}
)";

static CUcontext context;
static CUfunction function;
static CUdeviceptr memory;
static CUstream stream;

static unsigned value()
{
    unsigned found = 0;
    OK(cuMemcpyDtoH(&found, memory, 4));
    return found;
}

static CUDA_KERNEL_NODE_PARAMS kernel(void **args)
{
    CUDA_KERNEL_NODE_PARAMS params = {};
    params.func = function;
    params.gridDimX = params.gridDimY = params.gridDimZ = params.blockDimX = params.blockDimY = params.blockDimZ = 1;
    params.kernelParams = args;
    return params;
}

static void old_versions()
{
    unsigned two = 2, five = 5;
    void *by[] = {&memory, &two}, *more[] = {&memory, &five};
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    OldKernel old = {function, {1, 1, 1}, {1, 1, 1}, 0, by, nullptr}, found = {};
    CUgraphNode first, second, wrong_one = (CUgraphNode)1;
    OK(kernel_1(&first, graph, nullptr, 0, &old));
    OK(kernel_get_1(first, &found));
    same("kernel", found.func == function && *(unsigned *)found.params[1] == 2);
    // Parameters as one buffer.
    struct { CUdeviceptr data; unsigned number; } packed = {memory, 7};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    old.params = nullptr, old.extra = extra;
    OK(kernel_1(&second, graph, nullptr, 0, &old));
    OK(add_1(graph, &first, &second, 1));
    CUgraphExec exec;
    char log[200] = "x";
    OK(instantiate_1(&exec, graph, &wrong_one, log, sizeof log));
    same("no wrong node", !wrong_one);
    OK(cuMemsetD32(memory, 0, 1));
    OK(cuCtxSynchronize());
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    same("sum", value() == 9);
    old.params = more, old.extra = nullptr;
    OK(kernel_exec_1(exec, first, &old));
    OK(kernel_set_1(first, &old));
    OK(cuGraphLaunch(exec, stream));
    same("changed", (cuStreamSynchronize(stream), value() == 21));
    CUgraph other;
    OK(cuGraphClone(&other, graph));
    CUgraphExecUpdateResult result;
    OK(update_1(exec, other, &wrong_one, &result));
    same("updated", result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
    size_t count = 1;
    CUgraphNode from = nullptr, to = nullptr;
    OK(edges_1(graph, &from, &to, &count));
    same("edge", count == 1 && from == first && to == second);
    OK(before_1(second, &from, &count));
    OK(behind_1(first, &to, &count));
    same("neighbours", from == first && to == second);
    OK(remove_1(graph, &first, &second, 1));
    OK(add_1(graph, &second, &first, 1));
    OK(add_1(graph, &first, &second, 1));
    CUgraphExec none;
    FAILS(instantiate_2(&none, graph, &wrong_one, log, sizeof log), CUDA_ERROR_INVALID_VALUE);
    same("circle", wrong_one && std::strstr(log, "circle"));
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    OK(cuGraphDestroy(other));
}

static void numbers()
{
    CUgraph graph, other, found;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphCreate(&other, 0));
    unsigned id = 0, second = 0, local = 9;
    unsigned long long tools = 0;
    OK(cuGraphGetId(graph, &id));
    OK(cuGraphGetId(other, &second));
    CUgraphNode node[3];
    for (auto &one : node) OK(cuGraphAddEmptyNode(&one, graph, nullptr, 0));
    OK(cuGraphNodeGetLocalId(node[2], &local));
    OK(cuGraphNodeGetToolsId(node[0], &tools));
    OK(cuGraphNodeGetContainingGraph(node[0], &found));
    same("numbers", id && id != second && local == 2 && tools && found == graph);
    CUgraphExec exec;
    OK(cuGraphInstantiateWithFlags(&exec, graph, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY));
    cuuint64_t flags = 0;
    OK(cuGraphExecGetId(exec, &id));
    OK(cuGraphExecGetFlags(exec, &flags));
    same("flags", id && flags == CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
    FAILS(cuGraphInstantiateWithFlags(&exec, graph, 64), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphUpload(exec, stream));
    OK(cuGraphExecDestroy(exec));
    FAILS(cuGraphExecGetFlags(exec, &flags), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(graph));
    OK(cuGraphDestroy(other));
    FAILS(cuGraphGetId(graph, &id), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGraphNodeGetLocalId(node[0], &local), CUDA_ERROR_INVALID_VALUE);
}

static void any_kind()
{
    unsigned two = 2;
    void *by[] = {&memory, &two};
    CUgraph graph, inner;
    OK(cuGraphCreate(&graph, 0));
    OK(cuGraphCreate(&inner, 0));
    CUgraphNodeParams params = {CU_GRAPH_NODE_TYPE_KERNEL};
    auto old = kernel(by);
    params.kernel.func = function, params.kernel.kernelParams = by;
    params.kernel.gridDimX = params.kernel.gridDimY = params.kernel.gridDimZ = 1;
    params.kernel.blockDimX = params.kernel.blockDimY = params.kernel.blockDimZ = 1;
    CUgraphNode a, b, c, d, e;
    OK(node_1(&a, graph, nullptr, 0, &params));
    // A programmatic edge between two kernels: only the second version can say it.
    CUgraphEdgeData data = {};
    data.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, data.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    OK(cuGraphAddNode(&b, graph, &a, &data, 1, &params));
    size_t count = 1;
    CUgraphNode from = nullptr, to = nullptr;
    CUgraphEdgeData found = {};
    FAILS(edges_1(graph, &from, &to, &count), CUDA_ERROR_LOSSY_QUERY);
    FAILS(before_1(b, &from, &count), CUDA_ERROR_LOSSY_QUERY);
    OK(cuGraphGetEdges(graph, &from, &to, &found, &count));
    same("edge", from == a && to == b && found.from_port == 1 && found.type == 1);
    OK(cuGraphNodeGetDependencies(b, &from, &found, &count));
    OK(cuGraphNodeGetDependentNodes(a, &to, &found, &count));
    FAILS(cuGraphRemoveDependencies(graph, &a, &b, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphRemoveDependencies(graph, &a, &b, &data, 1));
    OK(cuGraphAddDependencies(graph, &a, &b, nullptr, 1));
    data.from_port = 9;
    FAILS(cuGraphAddDependencies(graph, &b, &a, &data, 1), CUDA_ERROR_INVALID_VALUE);
    CUgraphNodeParams asked = {};
    OK(cuGraphNodeGetParams(a, &asked));
    same("parameters", asked.type == CU_GRAPH_NODE_TYPE_KERNEL && asked.kernel.func == function);
    params = {CU_GRAPH_NODE_TYPE_EMPTY};
    OK(cuGraphAddNode_v3(&c, inner, nullptr, nullptr, 0, &params));
    // A graph that moves is not the program's any more.
    params = {CU_GRAPH_NODE_TYPE_GRAPH};
    params.graph.graph = graph, params.graph.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
    FAILS(cuGraphAddNode(&d, graph, nullptr, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
    params.graph.graph = inner;
    OK(cuGraphAddNode(&d, graph, &b, nullptr, 1, &params));
    FAILS(cuGraphDestroy(inner), CUDA_ERROR_INVALID_VALUE);
    params.graph.graph = graph;
    FAILS(cuGraphAddNode(&e, inner, nullptr, nullptr, 0, &params), CUDA_ERROR_INVALID_VALUE);
    params = {CU_GRAPH_NODE_TYPE_MEMCPY};
    unsigned host = 0;
    params.memcpy.copyCtx = context;
    auto &copy = params.memcpy.copyParams;
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = memory;
    copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = &host;
    copy.WidthInBytes = 4, copy.Height = copy.Depth = 1;
    OK(cuGraphAddNode(&e, graph, &d, nullptr, 1, &params));
    CUDA_MEMCPY3D copied = {};
    OK(cuGraphMemcpyNodeGetParams(e, &copied));
    same("copy", copied.dstHost == &host && copied.WidthInBytes == 4);
    OK(cuGraphMemcpyNodeSetParams(e, &copied));
    CUgraphExec exec;
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuMemsetD32(memory, 3, 1));
    OK(cuCtxSynchronize());
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    same("sum", host == 7);
    OK(cuGraphExecMemcpyNodeSetParams(exec, e, &copied, context));
    two = 10;
    OK(cuGraphExecKernelNodeSetParams(exec, a, &old));
    OK(cuGraphNodeGetParams(b, &asked));
    OK(cuGraphNodeSetParams(b, &asked));
    OK(cuGraphNodeSetParams_v2(b, &asked));
    OK(cuGraphExecNodeSetParams(exec, b, &asked));
    OK(cuGraphKernelNodeSetParams(a, &old));
    CUDA_KERNEL_NODE_PARAMS again = {};
    OK(cuGraphKernelNodeGetParams(a, &again));
    same("second version", again.func == function && *(unsigned *)again.kernelParams[1] == 10);
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    same("changed", host == 19);
    params = {CU_GRAPH_NODE_TYPE_HOST};
    FAILS(cuGraphNodeSetParams(a, &params), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGraphExecNodeSetParams(exec, a, &params), CUDA_ERROR_INVALID_VALUE);
    CUkernelNodeAttrValue priority = {};
    priority.priority = -1;
    OK(cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_PRIORITY, &priority));
    OK(cuGraphKernelNodeCopyAttributes(b, a));
    priority = {};
    OK(cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_PRIORITY, &priority));
    same("priority", priority.priority == -1);
    FAILS(cuGraphKernelNodeGetAttribute(d, CU_LAUNCH_ATTRIBUTE_PRIORITY, &priority), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    FAILS(cuGraphNodeGetType(c, &asked.type), CUDA_ERROR_INVALID_VALUE);
}

static void memory_operations()
{
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    CUstreamBatchMemOpParams operations[3] = {};
    operations[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[0].writeValue.address = memory, operations[0].writeValue.value = 41;
    operations[1].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    operations[1].waitValue.address = memory, operations[1].waitValue.value = 40;
    operations[1].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
    operations[2].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
    CUDA_BATCH_MEM_OP_NODE_PARAMS params = {context, 3, operations, 0}, found = {};
    CUgraphNode node;
    OK(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params));
    OK(cuGraphBatchMemOpNodeGetParams(node, &found));
    same("operations", found.count == 3 && found.paramArray[0].writeValue.value == 41);
    OK(cuGraphBatchMemOpNodeSetParams(node, &params));
    CUgraphExec exec;
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    same("written", value() == 41);
    operations[0].writeValue.value = 50;
    OK(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    same("written again", value() == 50);
    operations[0].writeValue.address = memory + 1;
    FAILS(cuGraphBatchMemOpNodeSetParams(node, &params), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    // The same handle for the whole batch of kinds that there are not.
    CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signals = {};
    CUDA_EXT_SEM_WAIT_NODE_PARAMS waits = {};
    OK(cuGraphCreate(&graph, 0));
    FAILS(cuGraphAddExternalSemaphoresSignalNode(&node, graph, nullptr, 0, &signals), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGraphAddExternalSemaphoresWaitNode(&node, graph, nullptr, 0, &waits), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
    FAILS(cuGraphExternalSemaphoresSignalNodeGetParams(node, &signals), CUDA_ERROR_INVALID_VALUE);
    FAILS(cuGraphExternalSemaphoresWaitNodeGetParams(node, &waits), CUDA_ERROR_INVALID_VALUE);
    OK(cuGraphDestroy(graph));
}

static void captures()
{
    unsigned two = 2;
    void *by[] = {&memory, &two};
    OK(cuMemsetD32(memory, 0, 1));
    OK(cuCtxSynchronize());
    OK(capture_1(stream));
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, by, nullptr));
    CUstreamCaptureStatus status;
    cuuint64_t id = 0, again = 0;
    CUgraph made = nullptr, graph = nullptr;
    const CUgraphNode *nodes = nullptr;
    const CUgraphEdgeData *data = nullptr;
    size_t count = 0;
    OK(captured_1(stream, &status, &id));
    OK(captured_2(stream, &status, &again, &made, &nodes, &count));
    OK(cuStreamGetCaptureInfo(stream, &status, &again, &made, &nodes, &data, &count));
    same("capture", status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id && id == again && made && count == 1 && data);
    CUgraphNode node = nodes[0];
    OK(goes_on_1(stream, &node, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
    CUgraphEdgeData port = {};
    port.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, port.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    OK(cuStreamUpdateCaptureDependencies(stream, &node, &port, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
    FAILS(captured_2(stream, &status, &again, &made, &nodes, &count), CUDA_ERROR_LOSSY_QUERY);
    FAILS(cuStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, 7), CUDA_ERROR_INVALID_VALUE);
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, by, nullptr));
    OK(cuStreamEndCapture(stream, &graph));
    CUgraphExec exec;
    CUDA_GRAPH_INSTANTIATE_PARAMS params = {CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, stream};
    OK(cuGraphInstantiateWithParams(&exec, graph, &params));
    OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    same("both", value() == 4);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
    // Launch attributes: one kernel begins while the other one is not over.
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    attribute.value.programmaticStreamSerializationAllowed = 1;
    CUlaunchConfig config = {1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1};
    OK(cuLaunchKernelEx(&config, function, by, nullptr));
    OK(cuLaunchKernelEx(&config, function, by, nullptr));
    OK(cuMemsetD2D8Async(memory, 4, 1, 4, 1, stream));
    OK(cuStreamEndCapture(stream, &graph));
    CUgraphNode from[2], to[2];
    CUgraphEdgeData edges[2] = {};
    count = 2;
    OK(cuGraphGetEdges(graph, from, to, edges, &count));
    same("programmatic edge", count == 2 && edges[0].type == CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC && !edges[1].type);
    CUDA_MEMSET_NODE_PARAMS set = {};
    OK(cuGraphMemsetNodeGetParams(to[1], &set));
    same("captured set", set.dst == memory && set.value == 1 && set.elementSize == 1 && set.width == 4);
    OK(cuGraphDestroy(graph));
}

static void device_launch()
{
    CUgraph graph;
    OK(cuGraphCreate(&graph, 0));
    unsigned two = 2;
    void *by[] = {&memory, &two};
    auto params = kernel(by);
    CUgraphNode node, host;
    OK(cuGraphAddKernelNode(&node, graph, nullptr, 0, &params));
    CUgraphExec exec;
    CUDA_GRAPH_INSTANTIATE_PARAMS how = {CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH};
    OK(cuGraphInstantiateWithParams(&exec, graph, &how));
    OK(cuGraphExecDestroy(exec));
    CUDA_HOST_NODE_PARAMS call = {[](void *) {}, nullptr};
    OK(cuGraphAddHostNode(&host, graph, &node, 1, &call));
    FAILS(cuGraphInstantiateWithParams(&exec, graph, &how), CUDA_ERROR_NOT_SUPPORTED);
    same("wrong node", how.hErrNode_out == host && how.result_out == CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
    OK(cuGraphHostNodeGetParams(host, &call));
    OK(cuGraphHostNodeSetParams(host, &call));
    OK(cuGraphDestroy(graph));
}

int main()
{
    CUdevice device;
    CUmodule module;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&function, module, "add"));
    OK(cuMemAlloc(&memory, 64));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    old_versions();
    numbers();
    any_kind();
    memory_operations();
    captures();
    device_launch();
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(memory));
    OK(cuModuleUnload(module));
    std::printf("%d wrong\n", wrong);
}
