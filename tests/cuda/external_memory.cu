// Memory of cuMemCreate that is imported by its file descriptor, in the same process and another one: as linear memory, and
// as a mipmapped array, whose texels both processes see. Driver and runtime.
// nvcc: -lcuda
#include "checks.h"
#include "files.h"
#include <cuda.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

const int N = 64;
const size_t ROOM = 2 << 20, AT = 64 << 10;

static void du(const char *what, CUresult found, CUresult expected = CUDA_SUCCESS)
{
    if (found == expected) return;
    const char *name = "?";
    cuGetErrorName(found, &name);
    std::printf("%s: %s\n", what, name);
    wrong++;
}
#define DU(call) du(#call, call)
#define DU_FAILS(call, code) du(#call, call, code)

__global__ void draw(cudaSurfaceObject_t to, float by)
{
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite(by * (y * N + x), to, x * 4, y);
}

__global__ void look(cudaTextureObject_t from, float level, float *out)
{
    out[blockIdx.x * N + threadIdx.x] = tex2DLod<float>(from, (threadIdx.x + 0.5f) / N, (blockIdx.x + 0.5f) / N, level);
}

__global__ void add(int *p, int by) { p[threadIdx.x] += by; }

static cudaExternalMemoryHandleDesc handle(int file)
{
    cudaExternalMemoryHandleDesc desc = {};
    desc.type = cudaExternalMemoryHandleTypeOpaqueFd, desc.handle.fd = file, desc.size = ROOM;
    return desc;
}

static cudaMipmappedArray_t array_of(cudaExternalMemory_t memory)
{
    cudaExternalMemoryMipmappedArrayDesc desc = {};
    desc.offset = AT, desc.formatDesc = cudaCreateChannelDesc<float>(), desc.extent = {N, N, 0};
    desc.flags = cudaArraySurfaceLoadStore, desc.numLevels = 2;
    cudaMipmappedArray_t array = 0;
    OK(cudaExternalMemoryGetMappedMipmappedArray(&array, memory, &desc));
    desc.offset = AT + 4;
    FAILS(cudaExternalMemoryGetMappedMipmappedArray(&array, memory, &desc), cudaErrorInvalidValue);
    desc.offset = ROOM - AT / 8;
    FAILS(cudaExternalMemoryGetMappedMipmappedArray(&array, memory, &desc), cudaErrorInvalidValue);
    desc.offset = ROOM;
    FAILS(cudaExternalMemoryGetMappedMipmappedArray(&array, memory, &desc), cudaErrorInvalidValue);
    return array;
}

static int *buffer_of(cudaExternalMemory_t memory)
{
    cudaExternalMemoryBufferDesc desc = {};
    desc.offset = 4096, desc.size = N * sizeof(int);
    void *buffer = 0;
    OK(cudaExternalMemoryGetMappedBuffer(&buffer, memory, &desc));
    desc.offset = ROOM - 4;
    FAILS(cudaExternalMemoryGetMappedBuffer(&buffer, memory, &desc), cudaErrorInvalidValue);
    desc.offset = 0, desc.size = 0;
    FAILS(cudaExternalMemoryGetMappedBuffer(&buffer, memory, &desc), cudaErrorInvalidValue);
    desc.size = 4, desc.flags = 1;
    FAILS(cudaExternalMemoryGetMappedBuffer(&buffer, memory, &desc), cudaErrorInvalidValue);
    return (int *)buffer;
}

static void draws(cudaMipmappedArray_t array, float by)
{
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeArray;
    OK(cudaGetMipmappedArrayLevel(&of.res.array.array, array, 0));
    cudaSurfaceObject_t surface;
    OK(cudaCreateSurfaceObject(&surface, &of));
    draw<<<N, N>>>(surface, by);
    OK(cudaDeviceSynchronize());
    OK(cudaDestroySurfaceObject(surface));
}

static bool shows(cudaMipmappedArray_t array, float by)
{
    cudaResourceDesc of = {};
    of.resType = cudaResourceTypeMipmappedArray, of.res.mipmap.mipmap = array;
    cudaTextureDesc how = {};
    how.normalizedCoords = 1;
    cudaTextureObject_t texture;
    OK(cudaCreateTextureObject(&texture, &of, &how, 0));
    float *out, host[N * N];
    OK(cudaMalloc(&out, sizeof host));
    look<<<N, N>>>(texture, 0, out);
    OK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDefault));
    OK(cudaFree(out));
    OK(cudaDestroyTextureObject(texture));
    for (int i = 0; i < N * N; i++)
        if (host[i] != by * i) return false;
    return true;
}

static bool all_are(const int *memory, int value)
{
    int host[N];
    OK(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        if (host[i] != value) return false;
    return true;
}

// Draws, and looks at what the parent draws then.
static int child(int peer)
{
    cudaExternalMemoryHandleDesc desc = handle(receive_file(peer));
    cudaExternalMemory_t memory;
    OK(cudaImportExternalMemory(&memory, &desc));
    cudaMipmappedArray_t array = array_of(memory);
    int *buffer = buffer_of(memory);
    OK(cudaDestroyExternalMemory(memory));
    same("the parent's buffer", all_are(buffer, 5));
    draws(array, 2);
    add<<<1, N>>>(buffer, 1);
    OK(cudaDeviceSynchronize());
    char byte = 0;
    same("told", write(peer, &byte, 1) == 1 && read(peer, &byte, 1) == 1);
    same("the parent's texels", shows(array, 3));
    OK(cudaFreeMipmappedArray(array));
    OK(cudaFree(buffer));
    return wrong;
}

int main()
{
    int peers[2];
    same("sockets", socketpair(AF_UNIX, SOCK_STREAM, 0, peers) == 0);
    std::fflush(stdout);
    pid_t pid = fork();
    close(peers[pid != 0]);
    if (pid == 0) return child(peers[1]);
    OK(cudaFree(0));

    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED, prop.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
    prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    CUmemGenericAllocationHandle physical;
    DU(cuMemCreate(&physical, ROOM, &prop, 0));
    int file = -1, other = -1;
    DU(cuMemExportToShareableHandle(&file, physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DU(cuMemExportToShareableHandle(&other, physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    DU(cuMemRelease(physical));

    cudaExternalMemoryHandleDesc desc = handle(file);
    cudaExternalMemory_t memory;
    FAILS(cudaImportExternalMemory(0, &desc), cudaErrorInvalidValue);
    desc.size = ROOM + 1;
    FAILS(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
    desc = handle(0);
    FAILS(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
    desc = handle(file), desc.flags = 2;
    FAILS(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
    desc = handle(file), desc.type = (cudaExternalMemoryHandleType)77;
    FAILS(cudaImportExternalMemory(&memory, &desc), cudaErrorInvalidValue);
    desc.type = cudaExternalMemoryHandleTypeNvSciBuf;
    FAILS(cudaImportExternalMemory(&memory, &desc), cudaErrorNotSupported);
    desc = handle(file);
    OK(cudaImportExternalMemory(&memory, &desc));
    same("the import closes the file", fcntl(file, F_GETFD) == -1);

    // The driver maps the same memory a second time.
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC again = {};
    again.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, again.handle.fd = dup(other), again.size = ROOM;
    CUexternalMemory second;
    DU(cuImportExternalMemory(&second, &again));
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC range = {};
    range.size = ROOM;
    CUdeviceptr whole;
    DU(cuExternalMemoryGetMappedBuffer(&whole, second, &range));
    CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC texels = {};
    texels.arrayDesc.Width = N, texels.arrayDesc.Height = N, texels.arrayDesc.Format = CU_AD_FORMAT_FLOAT;
    texels.arrayDesc.NumChannels = 1, texels.offset = AT, texels.numLevels = 2;
    CUmipmappedArray same_texels;
    DU(cuExternalMemoryGetMappedMipmappedArray(&same_texels, second, &texels));
    DU(cuDestroyExternalMemory(second));
    DU_FAILS(cuDestroyExternalMemory(second), CUDA_ERROR_INVALID_HANDLE);
    DU_FAILS(cuExternalMemoryGetMappedBuffer(&whole, second, &range), CUDA_ERROR_INVALID_HANDLE);

    cudaMipmappedArray_t array = array_of(memory);
    int *buffer = buffer_of(memory);
    cudaIpcMemHandle_t ipc;
    FAILS(cudaIpcGetMemHandle(&ipc, buffer), cudaErrorInvalidValue);
    OK(cudaMemset(buffer, 0, N * sizeof(int)));
    add<<<1, N>>>(buffer, 5);
    OK(cudaDeviceSynchronize());
    same("both mappings", all_are((int *)(whole + 4096), 5));

    send_file(peers[0], other);
    close(other);
    char byte;
    same("an answer", read(peers[0], &byte, 1) == 1);
    same("the child's texels", shows(array, 2) && shows((cudaMipmappedArray_t)same_texels, 2));
    same("the child's buffer", all_are(buffer, 6));
    draws(array, 3);
    same("told", write(peers[0], &byte, 1) == 1);
    int state = 0;
    same("the child", waitpid(pid, &state, 0) == pid && state == 0);

    OK(cudaFreeMipmappedArray(array));
    same("texels outlast the array", shows((cudaMipmappedArray_t)same_texels, 3));
    DU(cuMipmappedArrayDestroy(same_texels));
    OK(cudaFree(buffer));
    FAILS(cudaFree(buffer), cudaErrorInvalidValue);
    DU(cuMemFree(whole));
    OK(cudaDestroyExternalMemory(memory));
    std::printf("%d wrong\n", wrong);
}
