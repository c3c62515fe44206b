// Where memory is, and where it is wanted: pools of places and who reaches them, advice and prefetches by location,
// batches of them, copies with attributes and between devices, sparse arrays with levels.
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

static int wrong;

static void is(const char *what, cudaError_t found, cudaError_t expected = cudaSuccess)
{
    cudaGetLastError();
    if (found == expected) return;
    std::printf("%s: %s\n", what, cudaGetErrorName(found));
    wrong++;
}

static void same(const char *what, bool condition)
{
    if (!condition) std::printf("%s is wrong\n", what), wrong++;
}

#define OK(call) is(#call, call)
#define FAILS(call, code) is(#call, call, code)

__global__ void add(int *numbers, int by) { numbers[threadIdx.x] += by; }

static cudaMemLocation location(cudaMemLocationType type, int id = 0)
{
    cudaMemLocation made;
    std::memset(&made, 0, sizeof made);
    made.type = type;
    made.id = id;
    return made;
}

static void pools()
{
    cudaMemPool_t pool;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    cudaMemLocation device = location(cudaMemLocationTypeDevice), none = location(cudaMemLocationTypeDevice, 7);
    OK(cudaMemPoolGetAccess(&flags, pool, &device));
    same("access", flags == cudaMemAccessFlagsProtReadWrite);
    FAILS(cudaMemPoolGetAccess(&flags, pool, &none), cudaErrorInvalidDevice);
    cudaMemAccessDesc desc;
    std::memset(&desc, 0, sizeof desc);
    desc.location = device;
    desc.flags = cudaMemAccessFlagsProtReadWrite;
    OK(cudaMemPoolSetAccess(pool, &desc, 1));
    // A device cannot lose its own memory.
    desc.flags = cudaMemAccessFlagsProtNone;
    FAILS(cudaMemPoolSetAccess(pool, &desc, 1), cudaErrorInvalidValue);
    desc.location = none;
    FAILS(cudaMemPoolSetAccess(pool, &desc, 1), cudaErrorInvalidDevice);
}

// Pools of memory of the host, which the attributes promise.
static void pools_of_the_host()
{
    int numa = 0, supported = 0, node = -1;
    OK(cudaDeviceGetAttribute(&numa, (cudaDeviceAttr)142, 0));
    OK(cudaDeviceGetAttribute(&node, (cudaDeviceAttr)134, 0));
    OK(cudaDeviceGetAttribute(&supported, (cudaDeviceAttr)144, 0));
    same("support", numa == 1 && node == 0 && supported == 1);
    for (auto type : {cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma}) {
        cudaMemPoolProps props;
        std::memset(&props, 0, sizeof props);
        props.allocType = cudaMemAllocationTypePinned;
        props.location = location(type, 0);
        cudaMemPool_t pool;
        OK(cudaMemPoolCreate(&pool, &props));
        int *numbers = nullptr;
        OK(cudaMallocFromPoolAsync(&numbers, 32, pool, 0));
        OK(cudaStreamSynchronize(0));
        for (int i = 0; i < 8; i++) numbers[i] = i;
        add<<<1, 8>>>(numbers, 10);
        OK(cudaDeviceSynchronize());
        for (int i = 0; i < 8; i++) same("number of a pool", numbers[i] == i + 10);
        OK(cudaFreeAsync(numbers, 0));
        OK(cudaMemPoolDestroy(pool));
        props.location.id = 5;
        if (type == cudaMemLocationTypeHostNuma) FAILS(cudaMemPoolCreate(&pool, &props), cudaErrorInvalidValue);
    }
#if CUDART_VERSION >= 13000
    cudaMemLocation host = location(cudaMemLocationTypeHost), device = location(cudaMemLocationTypeDevice);
    const cudaMemAllocationType pinned = cudaMemAllocationTypePinned;
    cudaMemPool_t of_device, of_host, default_pool, own, now;
    OK(cudaDeviceGetDefaultMemPool(&default_pool, 0));
    OK(cudaMemGetDefaultMemPool(&of_device, &device, pinned));
    same("pool of the device", of_device == default_pool);
    OK(cudaMemGetDefaultMemPool(&of_host, &host, pinned));
    same("pool of the host", of_host != of_device);
    cudaMemPoolProps props;
    std::memset(&props, 0, sizeof props);
    props.allocType = pinned;
    props.location = host;
    OK(cudaMemPoolCreate(&own, &props));
    OK(cudaMemSetMemPool(&host, pinned, own));
    OK(cudaMemGetMemPool(&now, &host, pinned));
    same("own pool", now == own);
    FAILS(cudaMemSetMemPool(&device, pinned, own), cudaErrorInvalidValue);
    OK(cudaMemPoolDestroy(own));
    OK(cudaMemGetMemPool(&now, &host, pinned));
    same("default pool again", now == of_host);
#endif
}

static int attribute(cudaMemRangeAttribute which, const void *memory, size_t size)
{
    int value = -100;
    OK(cudaMemRangeGetAttribute(&value, sizeof value, which, memory, size));
    return value;
}

static void places()
{
    const size_t size = 1 << 16;
    char *a, *b, *device;
    OK(cudaMallocManaged(&a, size));
    OK(cudaMallocManaged(&b, size));
    OK(cudaMalloc(&device, size));
    const cudaMemRangeAttribute last = cudaMemRangeAttributeLastPrefetchLocation;
    cudaMemLocation places[2] = {location(cudaMemLocationTypeDevice), location(cudaMemLocationTypeHost)};
    cudaMemLocation none = location(cudaMemLocationTypeDevice, 7);
#if CUDART_VERSION >= 13000
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    void *both[2] = {a, b}, *wrong_one[1] = {device};
    size_t sizes[2] = {size, size}, indices[2] = {0, 1};
    OK(cudaMemPrefetchBatchAsync(both, sizes, 2, places, indices, 2, 0, stream));
    same("places", attribute(last, a, size) == 0 && attribute(last, b, size) == cudaCpuDeviceId);
    OK(cudaMemDiscardBatchAsync(both, sizes, 2, 0, stream));
    FAILS(cudaMemDiscardBatchAsync(wrong_one, sizes, 1, 0, stream), cudaErrorInvalidValue);
    FAILS(cudaMemDiscardBatchAsync(both, sizes, 0, 0, stream), cudaErrorInvalidValue);
    OK(cudaMemDiscardAndPrefetchBatchAsync(both, sizes, 2, places + 1, indices, 1, 0, stream));
    same("one place", attribute(last, a, size) == cudaCpuDeviceId);
    OK(cudaMemDiscardAndPrefetchBatchAsync(both, sizes, 2, places, indices, 1, 0, stream));
    same("the other", attribute(last, a, size) == 0 && attribute(last, b, size) == 0);
    FAILS(cudaMemPrefetchBatchAsync(both, sizes, 2, places, indices + 1, 1, 0, stream), cudaErrorInvalidValue);
    FAILS(cudaMemPrefetchBatchAsync(both, sizes, 2, &none, indices, 1, 0, stream), cudaErrorInvalidDevice);
    FAILS(cudaMemDiscardAndPrefetchBatchAsync(both, sizes, 2, places, indices, 1, 1, stream), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(stream));
#else
    OK(cudaMemPrefetchAsync_v2(a, size, places[1], 0, 0));
    same("place", attribute(last, a, size) == cudaCpuDeviceId);
    OK(cudaMemPrefetchAsync_v2(a, size, places[0], 0, 0));
    same("other place", attribute(last, a, size) == 0);
    FAILS(cudaMemPrefetchAsync_v2(a, size, none, 0, 0), cudaErrorInvalidDevice);
    FAILS(cudaMemPrefetchAsync_v2(a, size, places[0], 1, 0), cudaErrorInvalidValue);
    OK(cudaMemAdvise_v2(b, size, cudaMemAdviseSetPreferredLocation, places[1]));
    same("preferred", attribute(cudaMemRangeAttributePreferredLocation, b, size) == cudaCpuDeviceId);
    OK(cudaMemAdvise_v2(b, size, cudaMemAdviseUnsetPreferredLocation, places[1]));
    same("not preferred", attribute(cudaMemRangeAttributePreferredLocation, b, size) == cudaInvalidDeviceId);
    FAILS(cudaMemAdvise_v2(b, size, cudaMemAdviseSetAccessedBy, none), cudaErrorInvalidDevice);
    FAILS(cudaMemAdvise_v2(device, size, cudaMemAdviseSetReadMostly, places[0]), cudaErrorInvalidValue);
#endif
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaFree(device));
}

static void copies()
{
    // The function of C: that of C++ calls another.
    cudaError_t (*of_c)(void **, size_t) = cudaMallocHost;
    unsigned char *pinned, *device, *other;
    const size_t size = 256;
    unsigned flags = 99;
    OK(of_c((void **)&pinned, size));
    OK(cudaHostGetFlags(&flags, pinned));
    same("flags", flags == 0);
    FAILS(of_c(nullptr, size), cudaErrorInvalidValue);
    OK(cudaMalloc(&device, size));
    OK(cudaMalloc(&other, size));
    std::vector<unsigned char> back(size);
    for (size_t i = 0; i < size; i++) pinned[i] = (unsigned char)(i * 5);
    OK(cudaMemcpy(device, pinned, size, cudaMemcpyHostToDevice));

    // Two slices of three rows of five bytes, between memory of (the same) two devices.
    OK(cudaMemset(other, 0, size));
    cudaMemcpy3DPeerParms peer = {};
    peer.srcPtr = make_cudaPitchedPtr(device, 16, 16, 4);
    peer.srcPos = make_cudaPos(2, 1, 0);
    peer.dstPtr = make_cudaPitchedPtr(other, 8, 8, 3);
    peer.extent = make_cudaExtent(5, 3, 2);
    OK(cudaMemcpy3DPeerAsync(&peer, 0));
    OK(cudaMemcpy(back.data(), other, size, cudaMemcpyDeviceToHost));
    for (int z = 0; z < 2; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 8; x++) {
                int from = 64 * z + 16 * (y + 1) + x + 2;
                same("byte of a peer", back[24 * z + 8 * y + x] == (x < 5 ? pinned[from] : 0));
            }
    peer.dstDevice = 7;
    FAILS(cudaMemcpy3DPeerAsync(&peer, 0), cudaErrorInvalidDevice);
#if CUDART_VERSION >= 13000
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    cudaMemcpyAttributes attributes;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMemset(other, 0, size));
    OK(cudaMemcpyWithAttributesAsync(other, pinned + 100, 50, &attributes, stream));
    OK(cudaMemcpy(back.data(), other, size, cudaMemcpyDeviceToHost));
    same("bytes", std::memcmp(back.data(), pinned + 100, 50) == 0 && back[50] == 0);
    // Not in the default stream, and not without an order.
    FAILS(cudaMemcpyWithAttributesAsync(other, pinned, 50, &attributes, 0), cudaErrorInvalidValue);
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    FAILS(cudaMemcpyWithAttributesAsync(other, pinned, 50, &attributes, stream), cudaErrorInvalidValue);
    cudaMemcpy3DBatchOp box;
    std::memset(&box, 0, sizeof box);
    box.src.type = box.dst.type = cudaMemcpyOperandTypePointer;
    box.src.op.ptr.ptr = pinned;
    box.src.op.ptr.rowLength = 16;
    box.dst.op.ptr.ptr = other;
    box.extent = make_cudaExtent(5, 3, 1);
    box.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    OK(cudaMemset(other, 0, size));
    OK(cudaMemcpy3DWithAttributesAsync(&box, 0, stream));
    OK(cudaMemcpy(back.data(), other, size, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) same("byte of a box", back[i] == (i < 15 ? pinned[i / 5 * 16 + i % 5] : 0));
    FAILS(cudaMemcpy3DWithAttributesAsync(&box, 1, stream), cudaErrorInvalidValue);
    OK(cudaStreamDestroy(stream));
#endif
    OK(cudaFree(device));
    OK(cudaFree(other));
    OK(cudaFreeHost(pinned));
}

// More than 2 GiB, which no pitch can be. The destination is one piece of memory many times over.
static void large_copy()
{
    const size_t piece = 2 << 20, size = ((size_t)1 << 31) + piece;
    const int shared = memfd_create("piece", 0), flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *from = (char *)mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    char *to = (char *)mmap(nullptr, size, PROT_NONE, flags, -1, 0);
    same("file", shared >= 0 && ftruncate(shared, piece) == 0);
    for (size_t at = 0; at < size; at += piece)
        mmap(to + at, piece, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, shared, 0);
    close(shared);
    from[size - 1] = 42;
    OK(cudaMemcpy(to, from, size, cudaMemcpyHostToHost));
    same("last byte", to[size - 1] == 42 && to[size - 2] == 0);
    munmap(from, size);
    munmap(to, size);
}

static void arrays()
{
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t sparse, plain;
    OK(cudaMallocMipmappedArray(&sparse, &desc, make_cudaExtent(512, 512, 0), 10, cudaArraySparse));
    OK(cudaMallocMipmappedArray(&plain, &desc, make_cudaExtent(512, 512, 0), 10));
    cudaArraySparseProperties found;
    std::memset(&found, 0xff, sizeof found);
    OK(cudaMipmappedArrayGetSparseProperties(&found, sparse));
    same("tile", found.tileExtent.width == 128 && found.tileExtent.height == 128 && found.tileExtent.depth == 1);
    same("mip tail", found.miptailFirstLevel == 3 && found.miptailSize == 65536 && found.flags == 0);
    FAILS(cudaMipmappedArrayGetSparseProperties(&found, plain), cudaErrorInvalidValue);
    FAILS(cudaMipmappedArrayGetSparseProperties(nullptr, sparse), cudaErrorInvalidValue);
    cudaArrayMemoryRequirements needs;
    FAILS(cudaMipmappedArrayGetMemoryRequirements(&needs, plain, 0), cudaErrorInvalidValue);
    FAILS(cudaMipmappedArrayGetMemoryRequirements(&needs, plain, 7), cudaErrorInvalidDevice);
    cudaArray_t level, plane;
    OK(cudaGetMipmappedArrayLevel(&level, plain, 1));
    FAILS(cudaArrayGetPlane(&plane, level, 0), cudaErrorInvalidValue);
    FAILS(cudaArrayGetPlane(&plane, nullptr, 0), cudaErrorInvalidResourceHandle);
    OK(cudaFreeMipmappedArray(sparse));
    OK(cudaFreeMipmappedArray(plain));
}

int main()
{
    pools();
    pools_of_the_host();
    places();
    copies();
    large_copy();
    arrays();
    std::printf("%d wrong\n", wrong);
}
