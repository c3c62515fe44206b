// Copies among host memory, device memory, arrays and variables, each compared with the same copy by the
// program; and memory sets.
#include <cstdio>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

typedef std::vector<unsigned char> Bytes;

static Bytes numbers(size_t n, unsigned seed)
{
    Bytes all(n);
    for (size_t i = 0; i < n; i++)
        all[i] = (unsigned char)((i + seed) * 2654435761u >> 13);
    return all;
}

static void same(const char *name, const Bytes &got, const Bytes &want)
{
    size_t wrong = got.size() != want.size(), sum = 0;
    for (size_t i = 0; i < got.size(); i++) {
        wrong += got[i] != want[i];
        sum = sum * 31 + got[i];
    }
    std::printf("%s: %zu bytes, %zu wrong, sum %x\n", name, got.size(), wrong, (unsigned)sum);
}

static Bytes fetch(const void *device, size_t n)
{
    Bytes got(n);
    CHECK(cudaMemcpy(got.data(), device, n, cudaMemcpyDeviceToHost));
    return got;
}

__device__ unsigned char variable[100];
__constant__ unsigned char constant[64];

static void lines()
{
    Bytes a = numbers(1000, 1), b = a;
    unsigned char *one, *two;
    CHECK(cudaMalloc(&one, 1000));
    CHECK(cudaMalloc(&two, 1000));
    CHECK(cudaMemcpy(one, a.data(), 1000, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(two, one, 1000, cudaMemcpyDeviceToDevice));
    same("device to device", fetch(two, 1000), a);
    CHECK(cudaMemcpy(two + 10, a.data(), 20, cudaMemcpyDefault));
    std::memcpy(&b[10], &a[0], 20);
    CHECK(cudaMemcpyAsync(two + 100, one + 300, 50, cudaMemcpyDefault));
    std::memcpy(&b[100], &a[300], 50);
    CHECK(cudaMemcpyPeer(two + 200, 0, one + 600, 0, 64));
    std::memcpy(&b[200], &a[600], 64);
    Bytes c(64);
    CHECK(cudaMemcpy(c.data(), &a[500], 64, cudaMemcpyHostToHost));
    same("host to host", c, Bytes(a.begin() + 500, a.begin() + 564));
    CHECK(cudaMemset(two + 900, 0x1a5, 30));
    std::memset(&b[900], 0xa5, 30);
    CHECK(cudaMemset2D(two + 400, 20, 7, 5, 6));
    for (int y = 0; y < 6; y++)
        std::memset(&b[400 + 20 * y], 7, 5);
    CHECK(cudaMemset3D(make_cudaPitchedPtr(two + 600, 10, 10, 8), 9, make_cudaExtent(4, 5, 3)));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 5; y++)
            std::memset(&b[600 + 80 * z + 10 * y], 9, 4);
    same("parts and sets", fetch(two, 1000), b);

    Bytes v(100, 0);
    CHECK(cudaMemcpyToSymbol(variable, a.data(), 30, 20));
    std::memcpy(&v[20], &a[0], 30);
    CHECK(cudaMemcpyToSymbolAsync(variable, one + 40, 10, 60, cudaMemcpyDeviceToDevice));
    std::memcpy(&v[60], &a[40], 10);
    Bytes got(100);
    CHECK(cudaMemcpyFromSymbol(got.data(), variable, 100));
    same("variable", got, v);
    CHECK(cudaMemcpyToSymbol(constant, a.data(), 64));
    CHECK(cudaMemcpyFromSymbolAsync(one, constant, 32, 16, cudaMemcpyDeviceToDevice));
    same("constant", fetch(one, 32), Bytes(a.begin() + 16, a.begin() + 48));
    std::printf("too long: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(variable, a.data(), 101)));
    CHECK(cudaFree(one));
    CHECK(cudaFree(two));
}

static void planes()
{
    constexpr size_t W = 64, H = 16;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<short2>();
    cudaArray_t one, two;
    CHECK(cudaMallocArray(&one, &desc, W / 4, H));
    CHECK(cudaMallocArray(&two, &desc, W / 4, H));
    Bytes a = numbers(W * H, 2), mirror(W * H), got(W * H);
    unsigned char *rows;
    size_t pitch;
    CHECK(cudaMallocPitch(&rows, &pitch, W, H));
    CHECK(cudaMemcpy2D(rows, pitch, a.data(), W, W, H, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2DToArray(one, 0, 0, rows, pitch, W, H, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy2DFromArray(got.data(), W, one, 0, 0, W, H, cudaMemcpyDeviceToHost));
    same("rows to array", got, a);
    CHECK(cudaMemcpy2DToArray(two, 0, 0, a.data(), W, W, H, cudaMemcpyDefault));
    mirror = a;
    CHECK(cudaMemcpy2DArrayToArray(two, 8, 3, one, 16, 5, 20, 7));
    for (size_t y = 0; y < 7; y++)
        std::memcpy(&mirror[(y + 3) * W + 8], &a[(y + 5) * W + 16], 20);
    CHECK(cudaMemcpy2DToArrayAsync(two, 40, 12, &a[100], W, 24, 2, cudaMemcpyHostToDevice));
    for (size_t y = 0; y < 2; y++)
        std::memcpy(&mirror[(y + 12) * W + 40], &a[100 + y * W], 24);
    CHECK(cudaMemcpy2DFromArray(got.data(), W, two, 0, 0, W, H, cudaMemcpyDefault));
    same("array to array", got, mirror);
    // A line of bytes that goes on in the next row.
    CHECK(cudaMemcpyToArray(two, 60, 1, a.data(), 152, cudaMemcpyHostToDevice));
    std::memcpy(&mirror[W + 60], &a[0], 152);
    CHECK(cudaMemcpyArrayToArray(two, 4, 8, one, 12, 2, 200));
    std::memcpy(&mirror[8 * W + 4], &a[2 * W + 12], 200);
    CHECK(cudaMemcpyFromArray(got.data(), two, 0, 0, W * H, cudaMemcpyDeviceToHost));
    same("lines in arrays", got, mirror);
    Bytes part(132);
    CHECK(cudaMemcpyFromArrayAsync(part.data(), two, 20, 2, 132, cudaMemcpyDeviceToHost, 0));
    same("line out of array", part,
         Bytes(mirror.begin() + 2 * W + 20, mirror.begin() + 2 * W + 152));
    std::printf("wrong way: %s\n", cudaGetErrorName(cudaMemcpy2DToArray(
                                       one, 0, 0, a.data(), W, W, H, cudaMemcpyDeviceToHost)));
    std::printf("short pitch: %s\n",
                cudaGetErrorName(cudaMemcpy2D(rows, pitch, a.data(), 8, W, H, cudaMemcpyDefault)));
    std::printf("outside: %s\n",
                cudaGetErrorName(cudaMemcpy2DToArray(one, 4, 0, a.data(), W, W, H,
                                                     cudaMemcpyHostToDevice)));
    CHECK(cudaFreeArray(one));
    CHECK(cudaFreeArray(two));
    CHECK(cudaFree(rows));
}

static void boxes()
{
    constexpr size_t W = 12, H = 10, D = 6, E = 8, ROW = W * E;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float2>();
    cudaArray_t one, layers;
    CHECK(cudaMalloc3DArray(&one, &desc, make_cudaExtent(W, H, D)));
    CHECK(cudaMalloc3DArray(&layers, &desc, make_cudaExtent(W, H, D), cudaArrayLayered));
    Bytes a = numbers(ROW * H * D, 3), got(ROW * H * D), mirror = a;
    cudaPitchedPtr device;
    CHECK(cudaMalloc3D(&device, make_cudaExtent(ROW, H, D)));
    cudaMemcpy3DParms p;
    std::memset(&p, 0, sizeof p);
    // Host to device memory: bytes.
    p.srcPtr = make_cudaPitchedPtr(a.data(), ROW, ROW, H);
    p.dstPtr = device;
    p.extent = make_cudaExtent(ROW, H, D);
    p.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&p));
    // Device memory to array: elements, but for the position in memory.
    std::memset(&p, 0, sizeof p);
    p.srcPtr = device;
    p.dstArray = one;
    p.kind = cudaMemcpyDeviceToDevice;
    p.srcPos.x = 3 * E;
    p.dstPos.x = 3;
    p.extent = make_cudaExtent(W - 3, H, D);
    CHECK(cudaMemcpy3D(&p));
    p.srcPos.x = p.dstPos.x = 0;
    p.extent = make_cudaExtent(3, H, D);
    CHECK(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(W, H, D);
    p.dstArray = layers;
    CHECK(cudaMemcpy3DAsync(&p));
    // A part of an array to another.
    std::memset(&p, 0, sizeof p);
    p.srcArray = one;
    p.srcPos = make_cudaPos(2, 3, 1);
    p.dstArray = layers;
    p.dstPos = make_cudaPos(5, 0, 3);
    p.extent = make_cudaExtent(6, 5, 2);
    p.kind = cudaMemcpyDeviceToDevice;
    CHECK(cudaMemcpy3D(&p));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 5; y++)
            std::memcpy(&mirror[((z + 3) * H + y) * ROW + 5 * E],
                        &a[((z + 1) * H + y + 3) * ROW + 2 * E], 6 * E);
    std::memset(&p, 0, sizeof p);
    p.srcArray = layers;
    p.dstPtr = make_cudaPitchedPtr(got.data(), ROW, ROW, H);
    p.extent = make_cudaExtent(W, H, D);
    p.kind = cudaMemcpyDefault;
    CHECK(cudaMemcpy3D(&p));
    same("boxes", got, mirror);
    cudaMemcpy3DPeerParms peer;
    std::memset(&peer, 0, sizeof peer);
    peer.srcArray = one;
    peer.dstPtr = device;
    // Of memory in bytes, though an array takes part.
    peer.dstPos = make_cudaPos(E + 1, 1, 1);
    peer.srcPos = make_cudaPos(4, 4, 4);
    peer.extent = make_cudaExtent(3, 3, 2);
    CHECK(cudaMemcpy3DPeer(&peer));
    mirror = a;
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            std::memcpy(&mirror[((z + 1) * H + y + 1) * ROW + E + 1],
                        &a[((z + 4) * H + y + 4) * ROW + 4 * E], 3 * E);
    std::memset(&p, 0, sizeof p);
    p.srcPtr = device;
    p.dstPtr = make_cudaPitchedPtr(got.data(), ROW, ROW, H);
    p.extent = make_cudaExtent(ROW, H, D);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&p));
    same("peer boxes", got, mirror);
    p.kind = (cudaMemcpyKind)7;
    std::printf("no direction: %s\n", cudaGetErrorName(cudaMemcpy3D(&p)));
    p.kind = cudaMemcpyDeviceToHost;
    p.srcArray = one;
    std::printf("two sources: %s\n", cudaGetErrorName(cudaMemcpy3D(&p)));
    CHECK(cudaFree(device.ptr));
    CHECK(cudaFreeArray(one));
    CHECK(cudaFreeArray(layers));
}

int main()
{
    lines();
    planes();
    boxes();
    return 0;
}
