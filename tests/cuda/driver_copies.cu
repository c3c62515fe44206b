// Copies of the driver API between host, device and arrays, in all their forms.
// nvcc: -lcuda
// only: 13-shared
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <numeric>
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

#define OK(call) is(#call, call)

using Bytes = std::vector<unsigned char>;

static void same(const char *what, const Bytes &found, const Bytes &expected)
{
    if (found != expected) std::printf("%s is wrong\n", what), wrong++;
}

static Bytes from(CUdeviceptr memory, size_t size)
{
    Bytes all(size);
    OK(cuMemcpyDtoH(all.data(), memory, size));
    return all;
}

static Bytes numbers(size_t size, int first)
{
    Bytes all(size);
    std::iota(all.begin(), all.end(), (unsigned char)first);
    return all;
}

static void line_arrays(CUdeviceptr memory)
{
    CUDA_ARRAY_DESCRIPTOR line = {64, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUarray a, b;
    OK(cuArrayCreate(&a, &line));
    OK(cuArrayCreate(&b, &line));
    Bytes data = numbers(64, 3), back(64);
    OK(cuMemcpyHtoAAsync(a, 0, data.data(), 64, nullptr));
    OK(cuMemcpyAtoH(back.data(), a, 0, 64));
    same("array to host", back, data);
    OK(cuMemcpyAtoA(b, 8, a, 0, 56));
    OK(cuMemcpyAtoHAsync(back.data(), b, 8, 56, nullptr));
    same("array to array", Bytes(back.begin(), back.begin() + 56), numbers(56, 3));
    OK(cuMemcpyAtoD(memory, a, 16, 48));
    same("array to device", from(memory, 48), numbers(48, 19));
    OK(cuMemcpyDtoA(b, 0, memory, 48));
    OK(cuMemcpyAtoH(back.data(), b, 0, 48));
    same("device to array", Bytes(back.begin(), back.begin() + 48), numbers(48, 19));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
}

// A rectangle of 8 by 4 bytes from (2, 1) of a host picture of 16 by 8 into an array, and from there to device memory.
static void rectangles(CUdeviceptr memory)
{
    CUDA_ARRAY_DESCRIPTOR plane = {16, 8, CU_AD_FORMAT_UNSIGNED_INT8, 1};
    CUarray array;
    OK(cuArrayCreate(&array, &plane));
    Bytes picture = numbers(128, 0), expected;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 8; x++) expected.push_back(16 * (y + 1) + x + 2);
    CUDA_MEMCPY2D in = {};
    in.srcMemoryType = CU_MEMORYTYPE_HOST;
    in.srcHost = picture.data();
    in.srcPitch = 16;
    in.srcXInBytes = 2;
    in.srcY = 1;
    in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    in.dstArray = array;
    in.dstXInBytes = 4;
    in.dstY = 3;
    in.WidthInBytes = 8;
    in.Height = 4;
    OK(cuMemcpy2DAsync(&in, nullptr));
    CUDA_MEMCPY2D out = {};
    out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    out.srcArray = array;
    out.srcXInBytes = 4;
    out.srcY = 3;
    out.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    out.dstDevice = memory;
    out.dstPitch = 8;
    out.WidthInBytes = 8;
    out.Height = 4;
    OK(cuMemcpy2DUnaligned(&out));
    same("rectangle", from(memory, 32), expected);
    OK(cuArrayDestroy(array));
}

static void boxes(CUdeviceptr memory)
{
    CUDA_ARRAY3D_DESCRIPTOR volume = {};
    volume.Width = 8, volume.Height = 4, volume.Depth = 3;
    volume.Format = CU_AD_FORMAT_UNSIGNED_INT8, volume.NumChannels = 1;
    CUarray array;
    OK(cuArray3DCreate(&array, &volume));
    Bytes data = numbers(96, 100), back(96);
    CUDA_MEMCPY3D in = {};
    in.srcMemoryType = CU_MEMORYTYPE_HOST;
    in.srcHost = data.data();
    in.srcPitch = 8, in.srcHeight = 4;
    in.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    in.dstArray = array;
    in.WidthInBytes = 8, in.Height = 4, in.Depth = 3;
    OK(cuMemcpy3D(&in));
    CUDA_MEMCPY3D out = {};
    out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    out.srcArray = array;
    out.srcZ = 1;
    out.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    out.dstDevice = memory;
    out.dstPitch = 8, out.dstHeight = 4;
    out.WidthInBytes = 8, out.Height = 4, out.Depth = 2;
    OK(cuMemcpy3DAsync(&out, nullptr));
    same("box", from(memory, 64), numbers(64, 132));
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    CUDA_MEMCPY3D_PEER peer = {};
    peer.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    peer.srcArray = array;
    peer.dstMemoryType = CU_MEMORYTYPE_HOST;
    peer.dstHost = back.data();
    peer.dstPitch = 8, peer.dstHeight = 4;
    peer.srcContext = peer.dstContext = context;
    peer.WidthInBytes = 8, peer.Height = 4, peer.Depth = 3;
    OK(cuMemcpy3DPeer(&peer));
    same("box of a peer", back, data);
    back.assign(96, 0);
    OK(cuMemcpy3DPeerAsync(&peer, nullptr));
    same("box of a peer, again", back, data);
    OK(cuArrayDestroy(array));
}

static void lines(CUdeviceptr memory)
{
    CUdeviceptr other = memory + 512;
    Bytes data = numbers(256, 7), back(256);
    CUcontext context;
    OK(cuCtxGetCurrent(&context));
    OK(cuMemcpyHtoDAsync(memory, data.data(), 256, nullptr));
    OK(cuMemcpyDtoDAsync(other, memory, 256, nullptr));
    same("device to device", from(other, 256), data);
    OK(cuMemcpyAsync((CUdeviceptr)back.data(), other, 256, nullptr));
    same("by address", back, data);
    OK(cuMemsetD8(other, 0, 256));
    OK(cuMemcpyPeer(other, context, memory, context, 256));
    same("peer", from(other, 256), data);
    OK(cuMemsetD8(other, 0, 256));
    OK(cuMemcpyPeerAsync(other, context, memory, context, 256, nullptr));
    same("peer, again", from(other, 256), data);
    CUdeviceptr to[2] = {other, other + 128}, of[2] = {memory + 128, memory};
    size_t sizes[2] = {128, 128};
    CUmemcpyAttributes attributes = {};
    attributes.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
    size_t first = 0;
    CUstream stream;
    OK(cuStreamCreate(&stream, 0));
    OK(cuMemcpyBatchAsync(to, of, sizes, 2, &attributes, &first, 1, stream));
    Bytes halves = numbers(128, 135), low = numbers(128, 7);
    halves.insert(halves.end(), low.begin(), low.end());
    same("batch", from(other, 256), halves);
    OK(cuStreamDestroy(stream));
}

static void fills(CUdeviceptr memory)
{
    Bytes expected(64, 0);
    OK(cuMemsetD32(memory, 0, 16));
    OK(cuMemsetD16Async(memory, 0x2211, 4, nullptr));
    for (int i = 0; i < 4; i++) expected[2 * i] = 0x11, expected[2 * i + 1] = 0x22;
    OK(cuMemsetD32Async(memory + 8, 0x66554433, 1, nullptr));
    for (int i = 0; i < 4; i++) expected[8 + i] = 0x33 + 0x11 * i;
    OK(cuMemsetD2D8Async(memory + 16, 16, 0x77, 2, 3, nullptr));
    for (int i = 0; i < 3; i++) expected[16 + 16 * i] = expected[17 + 16 * i] = 0x77;
    OK(cuMemsetD2D16Async(memory + 20, 16, 0x8877, 1, 2, nullptr));
    for (int i = 0; i < 2; i++) expected[20 + 16 * i] = 0x77, expected[21 + 16 * i] = 0x88;
    OK(cuMemsetD2D32Async(memory + 24, 16, 0x01010101, 2, 2, nullptr));
    for (int i = 0; i < 16; i++) expected[24 + 16 * (i / 8) + i % 8] = 1;
    same("fill", from(memory, 64), expected);
}

static void host_memory()
{
    alignas(4096) static unsigned char page[4096];
    OK(cuMemHostRegister(page, sizeof page, CU_MEMHOSTREGISTER_DEVICEMAP));
    CUdeviceptr seen;
    OK(cuMemHostGetDevicePointer(&seen, page, 0));
    OK(cuMemsetD8(seen, 9, sizeof page));
    same("registered memory", Bytes(page, page + sizeof page), Bytes(sizeof page, 9));
    OK(cuMemHostUnregister(page));
    is("unregistered twice", cuMemHostUnregister(page), CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

int main()
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr memory;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&memory, 1024));
    line_arrays(memory);
    rectangles(memory);
    boxes(memory);
    lines(memory);
    fills(memory);
    host_memory();
    OK(cuMemFree(memory));
    std::printf("%d wrong\n", wrong);
}
