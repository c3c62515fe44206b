// Memory of every kind: device, pitched, host, registered, managed, of pools; what a pointer is known as; and
// kernels that use it.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

static const char *name(cudaError_t code)
{
    cudaGetLastError();
    return cudaGetErrorName(code);
}

__global__ void add(int *numbers, int by) { numbers[threadIdx.x] += by; }

static void known(const char *what, void *pointer)
{
    static const char *types[] = {"unregistered", "host", "device", "managed"};
    cudaPointerAttributes a;
    CHECK(cudaPointerGetAttributes(&a, pointer));
    std::printf("%s: %s, device %d, kernels %s, program %s\n", what, types[a.type & 3], a.device,
                a.devicePointer == pointer ? "same" : a.devicePointer ? "other" : "none",
                a.hostPointer == pointer ? "same" : a.hostPointer ? "other" : "none");
}

static void use(const char *what, int *numbers)
{
    std::vector<int> host(8);
    for (int i = 0; i < 8; i++)
        host[i] = i;
    CHECK(cudaMemcpy(numbers, host.data(), 32, cudaMemcpyDefault));
    add<<<1, 8>>>(numbers, 100);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), numbers, 32, cudaMemcpyDefault));
    int wrong = 0;
    for (int i = 0; i < 8; i++)
        wrong += host[i] != i + 100;
    std::printf("%s: %d wrong, %d\n", what, wrong, host[7]);
}

static void pools()
{
    cudaMemPool_t pool, own, now;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaDeviceGetMemPool(&now, 0));
    std::printf("default: %d\n", pool == now);
    cudaMemPoolProps props;
    std::memset(&props, 0, sizeof props);
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&own, &props));
    CHECK(cudaDeviceSetMemPool(0, own));
    CHECK(cudaDeviceGetMemPool(&now, 0));
    std::printf("own: %d\n", own == now);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    int *numbers;
    CHECK(cudaMallocAsync(&numbers, 4096, stream));
    CHECK(cudaStreamSynchronize(stream));
    known("pool", numbers);
    use("pool", numbers);
    unsigned long long used = 0, most = 0, threshold = 1 << 20;
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    std::printf("used: %d\n", used >= 4096);
    CHECK(cudaFreeAsync(numbers, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrUsedMemHigh, &most));
    std::printf("used: %llu, most: %d\n", used, most >= 4096);
    CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold));
    std::printf("threshold: %llu\n", threshold);
    CHECK(cudaMallocFromPoolAsync(&numbers, 64, pool, stream));
    CHECK(cudaStreamSynchronize(stream));
    use("default pool", numbers);
    CHECK(cudaFree(numbers));
    CHECK(cudaMemPoolTrimTo(own, 0));
    CHECK(cudaDeviceSetMemPool(0, pool));
    CHECK(cudaMemPoolDestroy(own));
    CHECK(cudaStreamDestroy(stream));
}

static void managed()
{
    int *numbers;
    CHECK(cudaMallocManaged(&numbers, 1 << 16));
    known("managed", numbers);
    use("managed", numbers);
    int said = -1;
#if CUDART_VERSION >= 13000
    cudaMemLocation device;
    std::memset(&device, 0, sizeof device);
    device.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemAdvise(numbers, 1 << 16, cudaMemAdviseSetReadMostly, device));
    CHECK(cudaMemAdvise(numbers, 1 << 16, cudaMemAdviseSetPreferredLocation, device));
    CHECK(cudaMemPrefetchAsync(numbers, 1 << 16, device, 0, 0));
#else
    CHECK(cudaMemAdvise(numbers, 1 << 16, cudaMemAdviseSetReadMostly, 0));
    CHECK(cudaMemAdvise(numbers, 1 << 16, cudaMemAdviseSetPreferredLocation, 0));
    CHECK(cudaMemPrefetchAsync(numbers, 1 << 16, 0, 0));
#endif
    CHECK(cudaMemRangeGetAttribute(&said, 4, cudaMemRangeAttributeReadMostly, numbers, 1 << 16));
    std::printf("read mostly: %d\n", said);
    int where = -1, last = -1;
    void *data[2] = {&where, &last};
    size_t sizes[2] = {4, 4};
    cudaMemRangeAttribute attributes[2] = {cudaMemRangeAttributePreferredLocation,
                                           cudaMemRangeAttributeLastPrefetchLocation};
    CHECK(cudaMemRangeGetAttributes(data, sizes, attributes, 2, numbers, 1 << 16));
    std::printf("preferred: %d, prefetched: %d\n", where, last);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamAttachMemAsync(stream, numbers));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(numbers));
}

int main()
{
    int *numbers, local[8];
    CHECK(cudaMalloc(&numbers, 4096));
    known("device", numbers);
    known("inside", numbers + 5);
    use("device", numbers);
    CHECK(cudaFree(numbers));
    std::printf("freed twice: %s\n", name(cudaFree(numbers)));
    CHECK(cudaFree(nullptr));
    CHECK(cudaMallocHost(&numbers, 4096));
    known("host", numbers);
    use("host", numbers);
    CHECK(cudaFreeHost(numbers));
    CHECK(cudaHostAlloc(&numbers, 4096, cudaHostAllocMapped));
    unsigned flags = 0;
    int *device = nullptr;
    CHECK(cudaHostGetFlags(&flags, numbers));
    CHECK(cudaHostGetDevicePointer(&device, numbers, 0));
    std::printf("mapped: %u %d\n", flags & cudaHostAllocMapped, device != nullptr);
    use("mapped", device);
    CHECK(cudaFreeHost(numbers));
    known("the program's", local);
    numbers = (int *)std::aligned_alloc(4096, 4096);
    CHECK(cudaHostRegister(numbers, 4096, cudaHostRegisterDefault));
    known("registered", numbers);
    use("registered", numbers);
    CHECK(cudaHostUnregister(numbers));
    std::printf("unregistered twice: %s\n", name(cudaHostUnregister(numbers)));
    std::free(numbers);
    size_t free = 0, total = 0, pitch = 0;
    CHECK(cudaMemGetInfo(&free, &total));
    std::printf("memory: %d\n", free > 0 && free <= total);
    CHECK(cudaMallocPitch(&numbers, &pitch, 100, 7));
    std::printf("pitch: %d\n", pitch >= 100 && pitch % 32 == 0);
    CHECK(cudaFree(numbers));
    numbers = local;
    CHECK(cudaMalloc(&numbers, 0));
    std::printf("no bytes: %d\n", numbers == nullptr);
    std::printf("too much: %s\n", name(cudaMalloc(&numbers, (size_t)1 << 60)));
    managed();
    pools();
    return 0;
}
