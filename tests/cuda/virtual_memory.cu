// Virtual memory management: a vector that grows in place, one memory at two addresses, who reaches what, what a driver
// answers to misuse, and what a kernel's fault says of addresses that are reserved, mapped for nobody, read only, or free.
// nvcc: -lcuda
// only: 13-shared 12-static
// run: --device sm_86,sm_80
// stderr: is reserved, and no memory is mapped at this address
// stderr: is mapped, and the device was given no access to it
// stderr: store to read-only .global address
// stderr: `cuMemAddressReserve` (4194304 bytes at
#include "checks.h"
#include <cstring>
#include <cuda.h>
#include <unistd.h>
#include <vector>

static void is(const char *what, CUresult found, CUresult expected = CUDA_SUCCESS)
{
    if (found == expected) return;
    const char *name = nullptr;
    cuGetErrorName(found, &name);
    std::printf("%s: %s\n", what, name);
    wrong++;
}

#define REFUSED(call) is(#call, call, CUDA_ERROR_INVALID_VALUE)

const size_t PAGE = 2 << 20;

__global__ void fill(int *out, size_t n, int by)
{
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = int(i) * by;
}

__global__ void store(int *to, int value) { *to = value; }

__global__ void load(const int *from, int *to) { *to = *from; }

__global__ void fetch(cudaTextureObject_t texture, int at, int *to) { *to = tex1Dfetch<int>(texture, at); }

static CUmemAllocationProp on(int device, bool shared = false)
{
    CUmemAllocationProp prop;
    std::memset(&prop, 0, sizeof prop);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    if (shared) prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    return prop;
}

static CUmemGenericAllocationHandle create(size_t size, int device = 0, bool shared = false)
{
    CUmemGenericAllocationHandle handle = 0;
    CUmemAllocationProp prop = on(device, shared);
    OK(cuMemCreate(&handle, size, &prop, 0));
    return handle;
}

static CUmemAccessDesc access_of(int device, CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
{
    CUmemAccessDesc desc;
    desc.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    desc.flags = flags;
    return desc;
}

static void allow(CUdeviceptr at, size_t size, int device = 0)
{
    CUmemAccessDesc desc = access_of(device);
    OK(cuMemSetAccess(at, size, &desc, 1));
}

static int word(CUdeviceptr at)
{
    int value = -1;
    OK(cuMemcpyDtoH(&value, at, sizeof value));
    return value;
}

static void grows()
{
    CUdeviceptr base, next;
    OK(cuMemAddressReserve(&base, 2 * PAGE, 0, 0, 0));
    const size_t n = PAGE / sizeof(int);
    for (int i = 0; i < 2; i++) {
        CUmemGenericAllocationHandle handle = create(PAGE);
        OK(cuMemMap(base + i * PAGE, PAGE, 0, handle, 0));
        // The mapping keeps the memory.
        OK(cuMemRelease(handle));
        allow(base + i * PAGE, PAGE);
    }
    fill<<<8, 256>>>((int *)base, 2 * n, 3);
    OK(cudaDeviceSynchronize());
    // Addresses behind it are free, and what is mapped there goes on.
    OK(cuMemAddressReserve(&next, PAGE, 0, base + 2 * PAGE, 0));
    same("the hint", next == base + 2 * PAGE);
    CUmemGenericAllocationHandle handle = create(PAGE);
    OK(cuMemMap(next, PAGE, 0, handle, 0));
    OK(cuMemRelease(handle));
    allow(next, PAGE);
    same("fresh memory", word(next) == 0);
    fill<<<8, 256>>>((int *)base, 3 * n, 5);
    std::vector<int> all(3 * n);
    OK(cuMemcpyDtoH(all.data(), base, 3 * PAGE));
    bool right = true;
    for (size_t i = 0; i < 3 * n; i++) right = right && all[i] == int(i) * 5;
    same("the vector", right);
    OK(cuMemsetD32(base + PAGE - 8, 77, 4));
    same("a set over a border", word(base + PAGE - 4) == 77 && word(base + PAGE + 4) == 77);
    OK(cuMemcpyDtoD(base, base + 2 * PAGE - 64, 128));
    same("a copy over a border", word(base + 64) == int(2 * n) * 5);
    // A texture of memory that passes from one mapping to the next.
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear = {(void *)(base + PAGE), cudaCreateChannelDesc<int>(), 2 * PAGE};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    int *found;
    OK(cudaMallocManaged(&found, sizeof(int)));
    OK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    fetch<<<1, 1>>>(texture, int(n) + 100, found);
    OK(cudaDeviceSynchronize());
    same("a texture", *found == (int(2 * n) + 100) * 5);
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFree(found));
    // All is unmapped at once; reservations are given back one by one.
    REFUSED(cuMemAddressFree(base, 2 * PAGE));
    REFUSED(cuMemUnmap(base, 4 * PAGE));
    OK(cuMemUnmap(base, 3 * PAGE));
    REFUSED(cuMemAddressFree(base, 3 * PAGE));
    OK(cuMemAddressFree(base, 2 * PAGE));
    REFUSED(cuMemAddressFree(base, 2 * PAGE));
    OK(cuMemAddressFree(next, PAGE));
}

static void two_addresses()
{
    size_t before, after, total;
    OK(cuMemGetInfo(&before, &total));
    CUdeviceptr base;
    OK(cuMemAddressReserve(&base, 4 * PAGE, 8 * PAGE, 0, 0));
    same("alignment", base % (8 * PAGE) == 0);
    CUmemGenericAllocationHandle memory = create(PAGE), same_memory;
    OK(cuMemGetInfo(&after, &total));
    same("the device counts it", before - after == PAGE);
    OK(cuMemMap(base, PAGE, 0, memory, 0));
    OK(cuMemMap(base + 2 * PAGE, PAGE, 0, memory, 0));
    allow(base, PAGE);
    allow(base + 2 * PAGE, PAGE);
    store<<<1, 1>>>((int *)(base + 100), 1234);
    same("one memory", word(base + 2 * PAGE + 100) == 1234);
    OK(cuMemRetainAllocationHandle(&same_memory, (void *)(base + 2 * PAGE + 5)));
    same("its handle", same_memory == memory);
    OK(cuMemRelease(memory));
    CUmemAllocationProp prop;
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, memory));
    same("its properties", prop.type == CU_MEM_ALLOCATION_TYPE_PINNED && prop.location.id == 0);
    OK(cuMemRelease(memory));
    REFUSED(cuMemRelease(memory));
    REFUSED(cuMemMap(base + PAGE, PAGE, 0, memory, 0));
    OK(cuMemUnmap(base, PAGE));
    same("what stays", word(base + 2 * PAGE + 100) == 1234);
    CUdeviceptr start;
    size_t size;
    OK(cuMemGetAddressRange(&start, &size, base + 2 * PAGE + 7));
    same("range", start == base + 2 * PAGE && size == PAGE);
    cudaPointerAttributes attributes;
    OK(cudaPointerGetAttributes(&attributes, (void *)(base + 2 * PAGE)));
    same("attributes", attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
    OK(cuMemUnmap(base + 2 * PAGE, PAGE));
    OK(cuMemGetInfo(&after, &total));
    same("given back", before == after);
    OK(cuMemAddressFree(base, 4 * PAGE));
}

static void misuse()
{
    CUdeviceptr base, other;
    CUmemGenericAllocationHandle memory, wrong_one;
    unsigned long long flags = 9;
    size_t granularity = 0;
    CUmemAllocationProp prop = on(0);
    for (auto option : {CU_MEM_ALLOC_GRANULARITY_MINIMUM, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED}) {
        OK(cuMemGetAllocationGranularity(&granularity, &prop, option));
        same("granularity", granularity == PAGE);
    }
    int supported = 0;
    OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    same("supported", supported == 1);
    OK(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
    same("file descriptors", supported == 1);
    REFUSED(cuMemAddressReserve(&base, 0, 0, 0, 0));
    REFUSED(cuMemAddressReserve(&base, 100, 0, 0, 0));
    REFUSED(cuMemAddressReserve(&base, PAGE, 3, 0, 0));
    REFUSED(cuMemAddressReserve(&base, PAGE, 0, 0, 1));
    is("all addresses", cuMemAddressReserve(&base, size_t(1) << 60, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);
    REFUSED(cuMemCreate(&memory, PAGE + 1, &prop, 0));
    REFUSED(cuMemCreate(&memory, PAGE, &prop, 1));
    is("much memory", cuMemCreate(&memory, size_t(1) << 50, &prop, 0), CUDA_ERROR_OUT_OF_MEMORY);
    prop.location.id = 7;
    is("no such device", cuMemCreate(&memory, PAGE, &prop, 0), CUDA_ERROR_INVALID_DEVICE);
    prop = on(0);
    prop.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    REFUSED(cuMemCreate(&memory, PAGE, &prop, 0));
    prop = on(0);
    prop.location = {CU_MEM_LOCATION_TYPE_HOST, 0};
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    REFUSED(cuMemCreate(&memory, PAGE, &prop, 0));

    OK(cuMemAddressReserve(&base, 2 * PAGE, 0, 0, 0));
    OK(cuMemAddressReserve(&other, PAGE, 0, base + 4096, 0));
    memory = create(PAGE);
    REFUSED(cuMemMap(base + 4096, PAGE, 0, memory, 0));
    REFUSED(cuMemMap(base, PAGE, PAGE, memory, 0));
    REFUSED(cuMemMap(base, 2 * PAGE, 0, memory, 0));
    REFUSED(cuMemMap(base, PAGE, 0, memory, 1));
    REFUSED(cuMemMap(base + 2 * PAGE, PAGE, 0, memory, 0));
    REFUSED(cuMemMap(base, PAGE, 0, 4711, 0));
    REFUSED(cuMemUnmap(base, PAGE));
    CUmemAccessDesc desc = access_of(0);
    REFUSED(cuMemSetAccess(base, PAGE, &desc, 1));
    REFUSED(cuMemGetAccess(&flags, &desc.location, base));
    REFUSED(cuMemRetainAllocationHandle(&wrong_one, (void *)base));
    REFUSED(cuMemcpyDtoD(base, base + PAGE, 4));
    OK(cuMemMap(base, PAGE, 0, memory, 0));
    REFUSED(cuMemMap(base, PAGE, 0, memory, 0));
    OK(cuMemGetAccess(&flags, &desc.location, base + 77));
    same("no access at first", flags == 0);
    int value;
    REFUSED(cuMemcpyDtoH(&value, base, 4));
    REFUSED(cuMemSetAccess(base, PAGE, &desc, 0));
    REFUSED(cuMemSetAccess(base, 2 * PAGE, &desc, 1));
    desc.location.id = 5;
    is("no such device", cuMemSetAccess(base, PAGE, &desc, 1), CUDA_ERROR_INVALID_DEVICE);
    desc = access_of(0, CUmemAccess_flags(2));
    REFUSED(cuMemSetAccess(base, PAGE, &desc, 1));
    desc = access_of(1, CU_MEM_ACCESS_FLAGS_PROT_READ);
    OK(cuMemSetAccess(base, PAGE, &desc, 1));
    OK(cuMemGetAccess(&flags, &desc.location, base));
    same("access of the other", flags == CU_MEM_ACCESS_FLAGS_PROT_READ);
    REFUSED(cuMemFree(base));
    OK(cuMemUnmap(base, PAGE));
    REFUSED(cuMemUnmap(base, PAGE));
    OK(cuMemRelease(memory));
    OK(cuMemAddressFree(base, 2 * PAGE));
    OK(cuMemAddressFree(other, PAGE));
}

static void shared()
{
    CUdeviceptr base;
    int file = -1;
    CUmemGenericAllocationHandle plain = create(PAGE), memory = create(PAGE, 0, true), other;
    const auto FILES = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    REFUSED(cuMemExportToShareableHandle(&file, plain, FILES, 0));
    REFUSED(cuMemExportToShareableHandle(&file, memory, FILES, 1));
    is("windows", cuMemExportToShareableHandle(&file, memory, CU_MEM_HANDLE_TYPE_WIN32, 0), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuMemExportToShareableHandle(&file, memory, FILES, 0));
    OK(cuMemImportFromShareableHandle(&other, (void *)(size_t)file, FILES));
    close(file);
    REFUSED(cuMemImportFromShareableHandle(&plain, (void *)(size_t)file, FILES));
    REFUSED(cuMemImportFromShareableHandle(&plain, (void *)(size_t)0, FILES));
    OK(cuMemAddressReserve(&base, 2 * PAGE, 0, 0, 0));
    OK(cuMemMap(base, PAGE, 0, memory, 0));
    OK(cuMemMap(base + PAGE, PAGE, 0, other, 0));
    allow(base, 2 * PAGE);
    store<<<1, 1>>>((int *)(base + 8), 99);
    same("shared memory", word(base + PAGE + 8) == 99);
    CUmemAllocationProp prop;
    OK(cuMemGetAllocationPropertiesFromHandle(&prop, other));
    same("what it can be exported as", prop.requestedHandleTypes == FILES);
    OK(cuMemUnmap(base, 2 * PAGE));
    OK(cuMemAddressFree(base, 2 * PAGE));
    OK(cuMemRelease(plain));
    OK(cuMemRelease(memory));
    OK(cuMemRelease(other));
}

// Memory of the host, which the program reaches if it may.
static void on_host()
{
    CUdeviceptr base;
    CUmemGenericAllocationHandle memory;
    CUmemAllocationProp prop = on(0);
    prop.location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
    OK(cuMemCreate(&memory, PAGE, &prop, 0));
    OK(cuMemAddressReserve(&base, PAGE, 0, 0, 0));
    OK(cuMemMap(base, PAGE, 0, memory, 0));
    allow(base, PAGE);
    CUmemAccessDesc desc = access_of(0);
    desc.location = {CU_MEM_LOCATION_TYPE_HOST_NUMA, 0};
    OK(cuMemSetAccess(base, PAGE, &desc, 1));
    int *words = (int *)base;
    words[3] = 5;
    same("from the program", word(base + 12) == 5);
    store<<<1, 1>>>(words + 4, 6);
    OK(cudaDeviceSynchronize());
    same("to the program", words[4] == 6);
    int copy[2] = {};
    OK(cudaMemcpy(copy, words + 3, 8, cudaMemcpyHostToHost));
    same("a copy of the host", copy[0] == 5 && copy[1] == 6);
    OK(cuMemUnmap(base, PAGE));
    OK(cuMemRelease(memory));
    // Memory of a device is none of the program's.
    memory = create(PAGE);
    OK(cuMemMap(base, PAGE, 0, memory, 0));
    REFUSED(cuMemSetAccess(base, PAGE, &desc, 1));
    OK(cuMemUnmap(base, PAGE));
    OK(cuMemRelease(memory));
    OK(cuMemAddressFree(base, PAGE));
}

static void faults()
{
    CUdeviceptr base;
    CUmemGenericAllocationHandle memory = create(PAGE);
    OK(cuMemAddressReserve(&base, 2 * PAGE, 0, 0, 0));
    OK(cuMemMap(base, PAGE, 0, memory, 0));
    // Mapped for nobody.
    store<<<1, 1>>>((int *)(base + 16), 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    // The end of what is mapped.
    allow(base, PAGE);
    store<<<1, 1>>>((int *)(base + PAGE - 4), 1);
    OK(cudaDeviceSynchronize());
    store<<<1, 1>>>((int *)(base + PAGE), 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    // Only read.
    CUmemAccessDesc desc = access_of(0, CU_MEM_ACCESS_FLAGS_PROT_READ);
    OK(cuMemSetAccess(base, PAGE, &desc, 1));
    int *to;
    OK(cudaMalloc(&to, sizeof(int)));
    load<<<1, 1>>>((int *)(base + PAGE - 4), to);
    OK(cudaDeviceSynchronize());
    same("a load", word((CUdeviceptr)to) == 1);
    store<<<1, 1>>>((int *)base, 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    // Another device has no access; with it, it finds the same memory.
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&to, sizeof(int)));
    load<<<1, 1>>>((int *)(base + PAGE - 4), to);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
    OK(cudaMalloc(&to, sizeof(int)));
    allow(base, PAGE, 1);
    load<<<1, 1>>>((int *)(base + PAGE - 4), to);
    OK(cudaDeviceSynchronize());
    same("from another device", word((CUdeviceptr)to) == 1);
    OK(cudaFree(to));
    OK(cudaSetDevice(0));
    // Free addresses.
    OK(cuMemUnmap(base, PAGE));
    OK(cuMemRelease(memory));
    OK(cuMemAddressFree(base, 2 * PAGE));
    store<<<1, 1>>>((int *)base, 1);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    OK(cudaDeviceReset());
}

int main()
{
    OK(cudaSetDevice(0));
    OK(cudaFree(nullptr));
    grows();
    two_addresses();
    misuse();
    shared();
    on_host();
    faults();
    std::printf("%d wrong\n", wrong);
}
