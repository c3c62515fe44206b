// Graphs built by hand: nodes of all kinds, edges, launches, getters and setters, clones, child graphs, text, objects.
#include "checks.h"
#include <cstring>
#include <string>
#include <vector>

__global__ void scale(int *data, int factor) { data[threadIdx.x] *= factor; }
__global__ void add(int *data, int number) { data[threadIdx.x] += number; }
__device__ int variable[4];
static void count_call(void *to) { ++*static_cast<int *>(to); }

static std::vector<int> values(const int *memory, int n = 4)
{
    std::vector<int> all(n);
    OK(cudaMemcpy(all.data(), memory, n * sizeof(int), cudaMemcpyDeviceToHost));
    return all;
}

static cudaKernelNodeParams kernel(void (*f)(int *, int), void **args)
{
    cudaKernelNodeParams params = {};
    params.func = (void *)f;
    params.gridDim = dim3(1);
    params.blockDim = dim3(4);
    params.kernelParams = args;
    return params;
}

static cudaMemsetParams set(void *to, unsigned value)
{
    cudaMemsetParams params = {};
    params.dst = to, params.value = value, params.elementSize = 4, params.width = 4, params.height = 1;
    return params;
}

static cudaGraphExec_t instance(cudaGraph_t graph)
{
    cudaGraphExec_t exec = nullptr;
    OK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    return exec;
}

static void launches()
{
    int *memory, host[4] = {}, calls = 0, three = 3, five = 5;
    OK(cudaMalloc(&memory, sizeof host));
    void *by[] = {&memory, &three}, *more[] = {&memory, &five};
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    FAILS(cudaGraphCreate(&graph, 1), cudaErrorInvalidValue);
    cudaGraphNode_t fill, first, second, copy, call, end;
    cudaMemsetParams two = set(memory, 2);
    OK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &two));
    cudaKernelNodeParams params = kernel(scale, by), other = kernel(add, more);
    OK(cudaGraphAddKernelNode(&first, graph, &fill, 1, &params));
    OK(cudaGraphAddKernelNode(&second, graph, &first, 1, &other));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &second, 1, host, memory, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams counts = {count_call, &calls};
    OK(cudaGraphAddHostNode(&call, graph, &copy, 1, &counts));
    cudaGraphNode_t both[] = {copy, call};
    OK(cudaGraphAddEmptyNode(&end, graph, both, 2));
    // The arguments were copied.
    three = five = 100;
    cudaGraphExec_t exec = instance(graph);
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    OK(cudaGraphUpload(exec, stream));
    for (int round = 1; round <= 2; round++) {
        memset(host, 0, sizeof host);
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaStreamSynchronize(stream));
        same("result", host[0] == 11 && host[3] == 11 && calls == round);
    }

    // Nodes that do nothing.
    unsigned enabled = 7;
    OK(cudaGraphNodeSetEnabled(exec, first, 0));
    OK(cudaGraphNodeGetEnabled(exec, first, &enabled));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    same("disabled", enabled == 0 && host[0] == 7);
    FAILS(cudaGraphNodeSetEnabled(exec, call, 0), cudaErrorInvalidValue);
    OK(cudaGraphNodeSetEnabled(exec, first, 1));

    // Parameters of the instance; those of the graph stay.
    int nine = 9;
    void *changed[] = {&memory, &nine};
    cudaKernelNodeParams now = kernel(add, changed);
    OK(cudaGraphExecKernelNodeSetParams(exec, first, &now));
    two.value = 20;
    OK(cudaGraphExecMemsetNodeSetParams(exec, fill, &two));
    int others = 0;
    counts.userData = &others;
    OK(cudaGraphExecHostNodeSetParams(exec, call, &counts));
    int elsewhere[4] = {};
    OK(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, elsewhere, memory, sizeof host, cudaMemcpyDeviceToHost));
    FAILS(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, memory, memory, 4, cudaMemcpyDeviceToDevice), cudaErrorInvalidValue);
    FAILS(cudaGraphExecHostNodeSetParams(exec, copy, &counts), cudaErrorInvalidValue);
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    same("changed instance", elsewhere[0] == 34 && others == 1);
    cudaKernelNodeParams found = {};
    OK(cudaGraphKernelNodeGetParams(first, &found));
    same("kernel node", found.func == (void *)scale && found.blockDim.x == 4 && *(int *)found.kernelParams[1] == 3);
    unsigned long long flags = 1;
    OK(cudaGraphExecGetFlags(exec, &flags));
    same("flags", flags == 0);
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaGraphExecDestroy(exec));
    FAILS(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
    FAILS(cudaGraphLaunch(exec, stream), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(memory));
}

static void edges()
{
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t node[4];
    for (int i = 0; i < 4; i++) OK(cudaGraphAddEmptyNode(&node[i], graph, nullptr, 0));
    cudaGraphNode_t from[] = {node[0], node[0], node[1], node[2]}, to[] = {node[1], node[2], node[3], node[3]};
#if CUDART_VERSION >= 13000
#define EDGES nullptr,
#else
#define EDGES
#endif
    OK(cudaGraphAddDependencies(graph, from, to, EDGES 4));
    FAILS(cudaGraphAddDependencies(graph, from, to, EDGES 1), cudaErrorInvalidValue);
    size_t count = 0;
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, EDGES &count));
    same("number of edges", count == 4);
    cudaGraphNode_t a[6] = {}, b[6] = {};
    count = 6;
    OK(cudaGraphGetEdges(graph, a, b, EDGES &count));
    same("edges", count == 4 && a[0] == node[0] && b[0] == node[1] && a[3] == node[2] && b[3] == node[3] && !a[4]);
    OK(cudaGraphGetNodes(graph, nullptr, &count));
    same("number of nodes", count == 4);
    OK(cudaGraphGetNodes(graph, a, &count));
    same("nodes", a[0] == node[0] && a[3] == node[3]);
    OK(cudaGraphGetRootNodes(graph, nullptr, &count));
    same("roots", count == 1);
    count = 2;
    OK(cudaGraphNodeGetDependencies(node[3], a, EDGES &count));
    same("dependencies", count == 2 && a[0] == node[1] && a[1] == node[2]);
    count = 1;
    OK(cudaGraphNodeGetDependentNodes(node[0], a, EDGES &count));
    same("dependents", count == 1 && a[0] == node[1]);
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(node[0], &type));
    same("type", type == cudaGraphNodeTypeEmpty);
    // Round in a circle: the instance says so.
    OK(cudaGraphAddDependencies(graph, &node[3], &node[0], EDGES 1));
    cudaGraphExec_t exec = nullptr;
    cudaGraphInstantiateParams params = {};
    FAILS(cudaGraphInstantiateWithParams(&exec, graph, &params), cudaErrorInvalidValue);
    same("circle", params.result_out == cudaGraphInstantiateInvalidStructure && params.errNode_out);
    OK(cudaGraphRemoveDependencies(graph, &node[3], &node[0], EDGES 1));
    FAILS(cudaGraphRemoveDependencies(graph, &node[3], &node[0], EDGES 1), cudaErrorInvalidValue);
    OK(cudaGraphInstantiateWithParams(&exec, graph, &params));
    same("no circle", params.result_out == cudaGraphInstantiateSuccess && !params.errNode_out);
    OK(cudaGraphDestroyNode(node[1]));
    OK(cudaGraphGetEdges(graph, nullptr, nullptr, EDGES &count));
    same("edges that are left", count == 2);
    FAILS(cudaGraphNodeGetType(node[1], &type), cudaErrorInvalidValue);
    cudaGraphNode_t twice[] = {node[0], node[0]};
    FAILS(cudaGraphAddEmptyNode(&a[0], graph, twice, 2), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(exec));
    cudaGraph_t other;
    OK(cudaGraphCreate(&other, 0));
    FAILS(cudaGraphAddEmptyNode(&a[0], other, node, 1), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(other));
    OK(cudaGraphDestroy(graph));
    FAILS(cudaGraphDestroy(graph), cudaErrorInvalidValue);
}

static void copies()
{
    int *memory, host[4] = {1, 2, 3, 4}, back[4] = {};
    OK(cudaMalloc(&memory, sizeof host));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t in, symbol, out, last;
    OK(cudaGraphAddMemcpyNode1D(&in, graph, nullptr, 0, memory, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaGraphAddMemcpyNodeToSymbol(&symbol, graph, &in, 1, variable, memory, sizeof host, 0, cudaMemcpyDeviceToDevice));
    OK(cudaGraphAddMemcpyNodeFromSymbol(&out, graph, &symbol, 1, back, variable, 8, 8, cudaMemcpyDeviceToHost));
    FAILS(cudaGraphAddMemcpyNodeFromSymbol(&last, graph, nullptr, 0, back, variable, 8, 12, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    cudaGraphExec_t exec = instance(graph);
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    same("symbols", back[0] == 3 && back[1] == 4);
    OK(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, symbol, variable, memory, 8, 4, cudaMemcpyDeviceToDevice));
    OK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, back, variable, 12, 4, cudaMemcpyDeviceToHost));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaDeviceSynchronize());
    same("changed symbols", back[0] == 1 && back[1] == 2 && back[2] == 4);
    OK(cudaGraphMemcpyNodeSetParamsToSymbol(symbol, variable, memory, 8, 4, cudaMemcpyDeviceToDevice));
    OK(cudaGraphMemcpyNodeSetParamsFromSymbol(out, back, variable, 4, 4, cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms parms = {};
    OK(cudaGraphMemcpyNodeGetParams(out, &parms));
    same("copy", parms.kind == cudaMemcpyDeviceToHost && parms.extent.width == 4 && parms.dstPtr.ptr == back);
    OK(cudaGraphMemcpyNodeSetParams1D(out, back, memory, 16, cudaMemcpyDeviceToHost));
    OK(cudaGraphExecDestroy(exec));

    // Slices of an array.
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    OK(cudaMallocArray(&array, &format, 2, 2));
    parms = {};
    parms.srcPtr = make_cudaPitchedPtr(host, 8, 8, 2);
    parms.dstArray = array;
    parms.extent = make_cudaExtent(2, 2, 1);
    parms.kind = cudaMemcpyHostToDevice;
    OK(cudaGraphAddMemcpyNode(&last, graph, &out, 1, &parms));
    cudaMemcpy3DParms found = {};
    OK(cudaGraphMemcpyNodeGetParams(last, &found));
    same("copy of an array", found.dstArray == array && found.extent.width == 2 && found.extent.height == 2);
    OK(cudaGraphMemcpyNodeSetParams(last, &parms));
    exec = instance(graph);
    FAILS(cudaGraphExecMemcpyNodeSetParams(exec, out, &parms), cudaErrorInvalidValue);
    OK(cudaGraphExecMemcpyNodeSetParams(exec, last, &parms));
    OK(cudaGraphLaunch(exec, 0));
    int rows[4] = {};
    OK(cudaMemcpy2DFromArray(rows, 8, array, 0, 0, 8, 2, cudaMemcpyDeviceToHost));
    same("array", rows[0] == 1 && rows[3] == 4 && back[3] == 4);
    cudaMemsetParams filled = set(memory, 5), asked = {};
    OK(cudaGraphAddMemsetNode(&in, graph, &last, 1, &filled));
    filled.value = 6;
    OK(cudaGraphMemsetNodeSetParams(in, &filled));
    OK(cudaGraphMemsetNodeGetParams(in, &asked));
    same("set", asked.value == 6 && asked.dst == memory && asked.width == 4);
    filled.elementSize = 3;
    FAILS(cudaGraphMemsetNodeSetParams(in, &filled), cudaErrorInvalidValue);
    FAILS(cudaGraphMemsetNodeGetParams(last, &asked), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaFreeArray(array));
    OK(cudaFree(memory));
}

static void inside()
{
    int *memory, one = 1, two = 2;
    OK(cudaMalloc(&memory, 16));
    OK(cudaMemset(memory, 0, 16));
    void *args[] = {&memory, &one}, *others[] = {&memory, &two};
    cudaKernelNodeParams params = kernel(add, args);
    cudaGraph_t child, graph, clone, of;
    OK(cudaGraphCreate(&child, 0));
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t adds, first, second, found;
    OK(cudaGraphAddKernelNode(&adds, child, nullptr, 0, &params));
    OK(cudaGraphAddChildGraphNode(&first, graph, nullptr, 0, child));
    OK(cudaGraphAddChildGraphNode(&second, graph, &first, 1, child));
    OK(cudaGraphChildGraphNodeGetGraph(first, &of));
    same("graph of a child", of != child);
    FAILS(cudaGraphDestroy(of), cudaErrorInvalidValue);
    // The child graph was copied.
    params.kernelParams = others;
    OK(cudaGraphKernelNodeSetParams(adds, &params));
    cudaGraphExec_t exec = instance(graph);
    OK(cudaGraphLaunch(exec, 0));
    same("child graphs", values(memory)[0] == 2);
    OK(cudaGraphExecChildGraphNodeSetParams(exec, second, child));
    OK(cudaGraphLaunch(exec, 0));
    same("changed child graph", values(memory)[0] == 5);
    OK(cudaGraphAddEmptyNode(&found, child, nullptr, 0));
    FAILS(cudaGraphExecChildGraphNodeSetParams(exec, second, child), cudaErrorInvalidValue);
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphNodeFindInClone(&found, second, clone));
    cudaGraphNodeType type;
    OK(cudaGraphNodeGetType(found, &type));
    same("node of a clone", found != second && type == cudaGraphNodeTypeGraph);
    FAILS(cudaGraphNodeFindInClone(&found, adds, clone), cudaErrorInvalidValue);
    OK(cudaGraphDestroy(graph));
    cudaGraphExec_t again = instance(clone);
    OK(cudaGraphLaunch(again, 0));
    same("clone", values(memory)[0] == 7);
    OK(cudaGraphDebugDotPrint(clone, "graph.dot", cudaGraphDebugDotFlagsVerbose));
    if (FILE *file = fopen("graph.dot", "r")) {
        std::string text(1 << 16, 0);
        text.resize(fread(&text[0], 1, text.size(), file));
        same("text", text.find("digraph") == 0 && text.find("CHILD") != std::string::npos && text.find("add") != std::string::npos);
        fclose(file);
        remove("graph.dot");
    } else
        std::printf("no text\n");
    OK(cudaGraphExecDestroy(again));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(clone));
    OK(cudaGraphDestroy(child));
    OK(cudaFree(memory));
}

static void events()
{
    cudaEvent_t event, other, found;
    OK(cudaEventCreate(&event));
    OK(cudaEventCreate(&other));
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t records, waits;
    OK(cudaGraphAddEventRecordNode(&records, graph, nullptr, 0, event));
    OK(cudaGraphAddEventWaitNode(&waits, graph, &records, 1, event));
    OK(cudaGraphEventRecordNodeGetEvent(records, &found));
    same("event", found == event);
    OK(cudaGraphEventRecordNodeSetEvent(records, other));
    OK(cudaGraphEventWaitNodeSetEvent(waits, other));
    OK(cudaGraphEventWaitNodeGetEvent(waits, &found));
    same("other event", found == other);
    cudaGraphExec_t exec = instance(graph);
    OK(cudaGraphExecEventRecordNodeSetEvent(exec, records, event));
    OK(cudaGraphExecEventWaitNodeSetEvent(exec, waits, event));
    OK(cudaGraphLaunch(exec, 0));
    OK(cudaEventSynchronize(event));
    float time = -1;
    OK(cudaEventRecord(other, 0));
    OK(cudaEventElapsedTime(&time, event, other));
    same("time", time >= 0);
    FAILS(cudaGraphAddEventWaitNode(&waits, graph, nullptr, 0, (cudaEvent_t)16), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(event));
    OK(cudaEventDestroy(other));
}

static void attributes()
{
    int *memory = nullptr, one = 1;
    void *args[] = {&memory, &one};
    cudaKernelNodeParams params = kernel(add, args);
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t a, b;
    OK(cudaGraphAddKernelNode(&a, graph, nullptr, 0, &params));
    OK(cudaGraphAddKernelNode(&b, graph, nullptr, 0, &params));
    cudaKernelNodeAttrValue value = {}, found = {};
    value.priority = -2;
    OK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &value));
    OK(cudaGraphKernelNodeCopyAttributes(b, a));
    OK(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &found));
    same("priority", found.priority == -2);
    value = {};
    value.cooperative = 1;
    OK(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeCooperative, &value));
    OK(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeCooperative, &found));
    same("cooperative", found.cooperative == 1);
    FAILS(cudaGraphKernelNodeGetAttribute(a, (cudaLaunchAttributeID)63, &found), cudaErrorInvalidValue);
    params.func = (void *)1;
    FAILS(cudaGraphAddKernelNode(&b, graph, nullptr, 0, &params), cudaErrorInvalidDeviceFunction);
    params = kernel(add, args);
    params.blockDim.x = 5000;
    FAILS(cudaGraphAddKernelNode(&b, graph, nullptr, 0, &params), cudaErrorInvalidValue);
    cudaExternalSemaphoreSignalNodeParams signals = {};
    cudaExternalSemaphoreWaitNodeParams waits = {};
    FAILS(cudaGraphAddExternalSemaphoresSignalNode(&b, graph, nullptr, 0, &signals), cudaErrorInvalidValue);
    FAILS(cudaGraphAddExternalSemaphoresWaitNode(&b, graph, nullptr, 0, &waits), cudaErrorInvalidValue);
    FAILS(cudaGraphExternalSemaphoresSignalNodeGetParams(a, &signals), cudaErrorInvalidValue);
    FAILS(cudaGraphExternalSemaphoresWaitNodeGetParams(a, &waits), cudaErrorInvalidValue);
    FAILS(cudaGraphExternalSemaphoresSignalNodeSetParams(a, &signals), cudaErrorInvalidValue);
    FAILS(cudaGraphExternalSemaphoresWaitNodeSetParams(a, &waits), cudaErrorInvalidValue);
    cudaGraphExec_t exec = instance(graph);
    FAILS(cudaGraphExecExternalSemaphoresSignalNodeSetParams(exec, a, &signals), cudaErrorInvalidValue);
    FAILS(cudaGraphExecExternalSemaphoresWaitNodeSetParams(exec, a, &waits), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

static void objects()
{
    int destroyed = 0;
    cudaUserObject_t object;
    FAILS(cudaUserObjectCreate(&object, &destroyed, count_call, 1, 0), cudaErrorInvalidValue);
    OK(cudaUserObjectCreate(&object, &destroyed, count_call, 1, cudaUserObjectNoDestructorSync));
    OK(cudaUserObjectRetain(object, 2));
    cudaGraph_t graph, clone;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, object, 1, 0));
    OK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
    OK(cudaGraphReleaseUserObject(graph, object, 1));
    FAILS(cudaGraphReleaseUserObject(graph, object, 7), cudaErrorInvalidValue);
    OK(cudaUserObjectRelease(object, 2));
    OK(cudaGraphClone(&clone, graph));
    OK(cudaGraphDestroy(graph));
    same("kept alive", destroyed == 0);
    OK(cudaGraphDestroy(clone));
    same("destroyed", destroyed == 1);
    FAILS(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
}

// Parameters of nodes of any kind, and what the two versions of CUDA have each for itself.
static void any_kind()
{
    int *memory, one = 1, calls = 0, others = 0;
    OK(cudaMalloc(&memory, 16));
    OK(cudaMemset(memory, 0, 16));
    void *args[] = {&memory, &one};
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams params = {cudaGraphNodeTypeKernel};
    params.kernel.func = (void *)add, params.kernel.gridDim = dim3(1), params.kernel.blockDim = dim3(4);
    params.kernel.kernelParams = args;
    cudaGraphNode_t a, b, call, from, to;
    cudaGraphEdgeData data = {}, found = {};
    data.from_port = cudaGraphKernelNodePortProgrammatic, data.type = cudaGraphDependencyTypeProgrammatic;
    size_t count = 1;
#if CUDART_VERSION >= 13000
    OK(cudaGraphAddNode(&a, graph, nullptr, nullptr, 0, &params));
    OK(cudaGraphAddNode(&b, graph, &a, &data, 1, &params));
    OK(cudaGraphGetEdges(graph, &from, &to, &found, &count));
    same("edge", from == a && to == b && found.type == data.type && found.from_port == data.from_port);
    OK(cudaGraphNodeGetDependencies(b, &from, &found, &count));
    OK(cudaGraphNodeGetDependentNodes(a, &to, &found, &count));
    same("neighbours", from == a && to == b);
    FAILS(cudaGraphGetEdges(graph, &from, &to, nullptr, &count), cudaErrorLossyQuery);
    OK(cudaGraphRemoveDependencies(graph, &a, &b, &data, 1));
    OK(cudaGraphAddDependencies(graph, &a, &b, &data, 1));
    unsigned id = 0, local = 7;
    unsigned long long tools = 0;
    cudaGraph_t of;
    OK(cudaGraphGetId(graph, &id));
    OK(cudaGraphNodeGetLocalId(b, &local));
    OK(cudaGraphNodeGetToolsId(b, &tools));
    OK(cudaGraphNodeGetContainingGraph(b, &of));
    same("numbers", id && local == 1 && tools && of == graph);
    cudaGraphNodeParams asked = {};
    OK(cudaGraphNodeGetParams(a, &asked));
    same("parameters", asked.type == cudaGraphNodeTypeKernel && asked.kernel.func == (void *)add);
#else
    OK(cudaGraphAddNode(&a, graph, nullptr, 0, &params));
    OK(cudaGraphAddNode_v2(&b, graph, &a, &data, 1, &params));
    OK(cudaGraphGetEdges_v2(graph, &from, &to, &found, &count));
    same("edge", from == a && to == b && found.type == data.type && found.from_port == data.from_port);
    OK(cudaGraphNodeGetDependencies_v2(b, &from, &found, &count));
    OK(cudaGraphNodeGetDependentNodes_v2(a, &to, &found, &count));
    same("neighbours", from == a && to == b);
    FAILS(cudaGraphGetEdges(graph, &from, &to, &count), cudaErrorLossyQuery);
    OK(cudaGraphRemoveDependencies_v2(graph, &a, &b, &data, 1));
    OK(cudaGraphAddDependencies_v2(graph, &a, &b, &data, 1));
#endif
    cudaHostNodeParams counts = {count_call, &calls}, kept = {};
    OK(cudaGraphAddHostNode(&call, graph, &b, 1, &counts));
    counts.userData = &others;
    OK(cudaGraphHostNodeSetParams(call, &counts));
    OK(cudaGraphHostNodeGetParams(call, &kept));
    same("function", kept.userData == &others);
    cudaGraphExec_t exec = instance(graph);
#if CUDART_VERSION >= 13000
    OK(cudaGraphExecGetId(exec, &id));
#endif
    one = 10;
    OK(cudaGraphNodeSetParams(a, &params));
    OK(cudaGraphExecNodeSetParams(exec, b, &params));
    OK(cudaGraphLaunch(exec, 0));
    same("instance", values(memory)[0] == 11 && others == 1 && calls == 0);
    cudaGraphExec_t again = instance(graph);
    OK(cudaGraphLaunch(again, 0));
    same("graph", values(memory)[0] == 22);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphExecDestroy(again));
    OK(cudaGraphDestroy(graph));
    OK(cudaFree(memory));
}

int main()
{
    any_kind();
    launches();
    edges();
    copies();
    inside();
    events();
    attributes();
    objects();
    std::printf("%d wrong\n", wrong);
}
