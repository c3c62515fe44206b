// Several devices: access to the memory of peers, by kernels, textures, pools and copies, and what is said without it.
// run: --device sm_86,sm_80,sm_75
// stderr: is memory of another device, to which this one has no access
// stderr: is mapped, and the device was given no access to it
#include "checks.h"
#include <cstring>
#include <vector>

const int N = 64;

__device__ int variable = 40;

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }
__global__ void sum(int *to) { atomicAdd(to, 1); }
__global__ void fetch(cudaTextureObject_t texture, int *to) { to[threadIdx.x] = tex1Dfetch<int>(texture, threadIdx.x); }
__global__ void fetch2(cudaTextureObject_t texture, int *to) { to[threadIdx.x] = tex2D<int>(texture, threadIdx.x, 1); }
__global__ void put(cudaSurfaceObject_t surface, int value) { surf2Dwrite(value, surface, 4 * threadIdx.x, 1); }

static std::vector<int> words(const int *from)
{
    std::vector<int> all(N);
    OK(cudaMemcpy(all.data(), from, N * sizeof(int), cudaMemcpyDefault));
    return all;
}

static int *on(int device, int value)
{
    int *memory;
    std::vector<int> all(N, value);
    OK(cudaSetDevice(device));
    OK(cudaMalloc(&memory, N * sizeof(int)));
    OK(cudaMemcpy(memory, all.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    return memory;
}

static void questions()
{
    int can[3][3], value = -1;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) OK(cudaDeviceCanAccessPeer(&can[a][b], a, b));
    same("who can", can[0][1] == 1 && can[1][0] == 1 && can[0][0] == 0 && can[0][2] == 0 && can[2][1] == 0);
    const cudaDeviceP2PAttr attributes[] = {cudaDevP2PAttrPerformanceRank, cudaDevP2PAttrAccessSupported,
                                            cudaDevP2PAttrNativeAtomicSupported, cudaDevP2PAttrCudaArrayAccessSupported};
    const int wanted[] = {0, 1, 1, 1};
    for (int i = 0; i < 4; i++) {
        OK(cudaDeviceGetP2PAttribute(&value, attributes[i], 0, 1));
        same("attribute of peers", value == wanted[i]);
        OK(cudaDeviceGetP2PAttribute(&value, attributes[i], 0, 2));
        same("attribute of others", value == 0);
    }
    FAILS(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1), cudaErrorInvalidDevice);
    FAILS(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 3), cudaErrorInvalidDevice);
    FAILS(cudaDeviceGetP2PAttribute(&value, cudaDeviceP2PAttr(77), 0, 1), cudaErrorInvalidValue);
    FAILS(cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 1), cudaErrorInvalidValue);
}

static void kernels()
{
    int *there = on(1, 7), *here = on(0, 1), *far = on(2, 3);
    OK(cudaSetDevice(0));
    // Without access a kernel faults, and ends the context of its own device.
    add<<<1, N>>>(there, 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    FAILS(cudaFree(here), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    same("the other's memory", words(there) == std::vector<int>(N, 7));
    FAILS(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    FAILS(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    FAILS(cudaDeviceEnablePeerAccess(2, 0), cudaErrorInvalidDevice);
    FAILS(cudaDeviceEnablePeerAccess(3, 0), cudaErrorInvalidDevice);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    FAILS(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    add<<<1, N>>>(there, 1);
    for (int i = 0; i < 10; i++) sum<<<1, N>>>(there + 5);
    OK(cudaDeviceSynchronize());
    std::vector<int> wanted(N, 8);
    wanted[5] += 10 * N;
    same("from a peer", words(there) == wanted);
    // What is allocated later is reached too, and so are variables.
    OK(cudaSetDevice(1));
    int *later, *of_module, *found;
    OK(cudaMalloc(&later, N * sizeof(int)));
    OK(cudaMemset(later, 0, N * sizeof(int)));
    OK(cudaGetSymbolAddress((void **)&of_module, variable));
    OK(cudaSetDevice(0));
    add<<<1, N>>>(later, 5);
    add<<<1, 1>>>(of_module, 2);
    OK(cudaMallocManaged(&found, N * sizeof(int)));
    same("later", words(later) == std::vector<int>(N, 5));
    int value;
    OK(cudaSetDevice(1));
    OK(cudaMemcpyFromSymbol(&value, variable, sizeof value));
    same("a variable", value == 42);
    // Access is of one direction.
    here = on(0, 1);
    OK(cudaSetDevice(1));
    add<<<1, N>>>(here, 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    // With the context of the peer ends the access to it.
    OK(cudaSetDevice(0));
    FAILS(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaDeviceDisablePeerAccess(1));
    there = on(1, 2);
    OK(cudaSetDevice(0));
    add<<<1, N>>>(there, 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaFree(there));
    OK(cudaFree(far));
}

static void textures()
{
    int *there = on(1, 9), *found;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    OK(cudaMallocArray(&array, &format, N, 2, cudaArraySurfaceLoadStore));
    std::vector<int> texels(2 * N, 11);
    OK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), 4 * N, 4 * N, 2, cudaMemcpyHostToDevice));
    OK(cudaSetDevice(0));
    OK(cudaMallocManaged(&found, N * sizeof(int)));
    cudaResourceDesc linear = {}, of_array = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear = {there, format, N * sizeof(int)};
    of_array.resType = cudaResourceTypeArray;
    of_array.res.array.array = array;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    FAILS(cudaCreateTextureObject(&texture, &linear, &how, nullptr), cudaErrorInvalidValue);
    FAILS(cudaCreateTextureObject(&texture, &of_array, &how, nullptr), cudaErrorDeviceUninitialized);
    FAILS(cudaCreateSurfaceObject(&surface, &of_array), cudaErrorDeviceUninitialized);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    OK(cudaCreateTextureObject(&texture, &linear, &how, nullptr));
    fetch<<<1, N>>>(texture, found);
    OK(cudaDeviceSynchronize());
    same("a texture of a peer's memory", found[N - 1] == 9);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaCreateSurfaceObject(&surface, &of_array));
    put<<<1, N / 2>>>(surface, 12);
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaCreateTextureObject(&texture, &of_array, &how, nullptr));
    fetch2<<<1, N>>>(texture, found);
    OK(cudaDeviceSynchronize());
    same("an array of a peer", found[0] == 12 && found[N - 1] == 11);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaDeviceDisablePeerAccess(1));
    OK(cudaFree(found));
    OK(cudaFreeArray(array));
    OK(cudaFree(there));
}

static void pools()
{
    OK(cudaSetDevice(1));
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 1));
    int *before, *after;
    OK(cudaMallocAsync(&before, N * sizeof(int), 0));
    OK(cudaMemsetAsync(before, 0, N * sizeof(int), 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaSetDevice(0));
    // Access of peers is none to pools.
    OK(cudaDeviceEnablePeerAccess(1, 0));
    add<<<1, N>>>(before, 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags flags;
    OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
    same("no access", flags == cudaMemAccessFlagsProtNone);
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, &access.location));
    same("access", flags == cudaMemAccessFlagsProtReadWrite);
    add<<<1, N>>>(before, 1);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    OK(cudaMallocAsync(&after, N * sizeof(int), 0));
    OK(cudaMemsetAsync(after, 0, N * sizeof(int), 0));
    OK(cudaStreamSynchronize(0));
    OK(cudaSetDevice(0));
    add<<<1, N>>>(after, 4);
    same("memory of before", words(before) == std::vector<int>(N, 1));
    same("memory of after", words(after) == std::vector<int>(N, 4));
    // What is freed is gone for all.
    OK(cudaFreeAsync(before, 0));
    add<<<1, N>>>(before, 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    access.flags = cudaMemAccessFlagsProtNone;
    OK(cudaMemPoolSetAccess(pool, &access, 1));
    add<<<1, N>>>(after, 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    access.location.id = 2;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    FAILS(cudaMemPoolSetAccess(pool, &access, 1), cudaErrorInvalidDevice);
    OK(cudaSetDevice(1));
    OK(cudaFreeAsync(after, 0));
    OK(cudaDeviceSynchronize());
}

// Copies need no access.
static void copies()
{
    int *there = on(2, 21), *here = on(0, 1);
    OK(cudaMemcpyPeer(here, 0, there, 2, N * sizeof(int)));
    same("a copy of memory", words(here) == std::vector<int>(N, 21));
    cudaArray_t from, to;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaExtent size = make_cudaExtent(N, 2, 2);
    OK(cudaMalloc3DArray(&to, &format, size));
    OK(cudaSetDevice(2));
    OK(cudaMalloc3DArray(&from, &format, size));
    std::vector<int> texels(4 * N), back(4 * N);
    for (int i = 0; i < 4 * N; i++) texels[i] = i;
    cudaMemcpy3DParms upload = {};
    upload.srcPtr = make_cudaPitchedPtr(texels.data(), 4 * N, N, 2);
    upload.dstArray = from;
    upload.extent = size;
    upload.kind = cudaMemcpyHostToDevice;
    OK(cudaMemcpy3D(&upload));
    cudaMemcpy3DPeerParms between = {};
    between.srcArray = from;
    between.srcDevice = 2;
    between.dstArray = to;
    between.dstDevice = 0;
    between.extent = size;
    OK(cudaMemcpy3DPeer(&between));
    cudaMemcpy3DParms download = {};
    download.srcArray = to;
    download.dstPtr = make_cudaPitchedPtr(back.data(), 4 * N, N, 2);
    download.extent = size;
    download.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&download));
    same("a copy of an array", back == texels);
    // From an array there to memory here, in a stream there.
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaMemcpy3DPeerParms row = {};
    row.srcArray = from;
    row.srcDevice = 2;
    row.srcPos = make_cudaPos(0, 1, 1);
    row.dstPtr = make_cudaPitchedPtr(here, 4 * N, N, 1);
    row.dstDevice = 0;
    row.extent = make_cudaExtent(N, 1, 1);
    OK(cudaMemcpy3DPeerAsync(&row, stream));
    OK(cudaStreamSynchronize(stream));
    same("a copy of a row", words(here) == std::vector<int>(texels.end() - N, texels.end()));
    // An event of one device orders a stream of another.
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    OK(cudaMemcpyPeerAsync(here, 0, there, 2, N * sizeof(int), stream));
    OK(cudaEventRecord(event, stream));
    OK(cudaSetDevice(0));
    OK(cudaStreamWaitEvent(0, event, 0));
    add<<<1, N>>>(here, 1);
    OK(cudaDeviceSynchronize());
    OK(cudaEventQuery(event));
    same("an event of another device", words(here) == std::vector<int>(N, 22));
    OK(cudaEventDestroy(event));
    OK(cudaStreamDestroy(stream));
    OK(cudaFreeArray(from));
    OK(cudaFreeArray(to));
    OK(cudaFree(here));
    OK(cudaFree(there));
}

// Managed memory is reached by all, whatever is advised.
static void managed()
{
    int *memory;
    OK(cudaMallocManaged(&memory, N * sizeof(int)));
    for (int i = 0; i < N; i++) memory[i] = 0;
    for (int device = 0; device < 3; device++) {
        OK(cudaSetDevice(device));
#if CUDART_VERSION >= 13000
        cudaMemLocation place = {cudaMemLocationTypeDevice, device};
        OK(cudaMemAdvise(memory, N * sizeof(int), cudaMemAdviseSetPreferredLocation, place));
        OK(cudaMemAdvise(memory, N * sizeof(int), cudaMemAdviseSetAccessedBy, place));
        OK(cudaMemPrefetchAsync(memory, N * sizeof(int), place, 0, 0));
#else
        OK(cudaMemAdvise(memory, N * sizeof(int), cudaMemAdviseSetPreferredLocation, device));
        OK(cudaMemAdvise(memory, N * sizeof(int), cudaMemAdviseSetAccessedBy, device));
        OK(cudaMemPrefetchAsync(memory, N * sizeof(int), device, 0));
#endif
        add<<<1, N>>>(memory, 1);
        OK(cudaDeviceSynchronize());
        int last = -5, by[4] = {};
        OK(cudaMemRangeGetAttribute(&last, 4, cudaMemRangeAttributeLastPrefetchLocation, memory, N * sizeof(int)));
        same("where it was prefetched to", last == device);
        OK(cudaMemRangeGetAttribute(by, 16, cudaMemRangeAttributeAccessedBy, memory, N * sizeof(int)));
        same("who was said to use it", by[0] == 0 && by[device] == device && by[3] == cudaInvalidDeviceId);
    }
    same("what all have done", memory[0] == 3 && memory[N - 1] == 3);
    OK(cudaFree(memory));
}

int main()
{
    questions();
    kernels();
    textures();
    pools();
    copies();
    managed();
    std::printf("%d wrong\n", wrong);
}
