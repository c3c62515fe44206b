// Copies in batches: pieces of memory, and boxes of memory and arrays. CUDA 12 says which copy went wrong.
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

int main()
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    unsigned char host[300], back[300], *device;
    for (int i = 0; i < 300; i++)
        host[i] = (unsigned char)(i * 7);
    CHECK(cudaMalloc(&device, 300));
    CHECK(cudaMemset(device, 0, 300));
    cudaMemcpyAttributes attributes;
    std::memset(&attributes, 0, sizeof attributes);
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    size_t first = 0;
    size_t sizes[3] = {100, 50, 20};
    void *to[3] = {device, device + 120, device + 200};
    void *from[3] = {host, host + 200, host + 30};
#if CUDART_VERSION >= 13000
    CHECK(cudaMemcpyBatchAsync(to, (const void **)from, sizes, 3, &attributes, &first, 1, stream));
#else
    size_t failed = 0;
    CHECK(cudaMemcpyBatchAsync(to, from, sizes, 3, &attributes, &first, 1, &failed, stream));
#endif
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(back, device, 300, cudaMemcpyDeviceToHost));
    unsigned char want[300] = {};
    std::memcpy(want, host, 100);
    std::memcpy(want + 120, host + 200, 50);
    std::memcpy(want + 200, host + 30, 20);
    std::printf("pieces: %d, %d\n", std::memcmp(back, want, 300), back[121]);

    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<ushort2>();
    CHECK(cudaMallocArray(&array, &desc, 8, 4));
    cudaMemcpy3DBatchOp boxes[2];
    std::memset(boxes, 0, sizeof boxes);
    boxes[0].src.type = cudaMemcpyOperandTypePointer;
    boxes[0].src.op.ptr.ptr = host;
    boxes[0].src.op.ptr.rowLength = 10;
    boxes[0].dst.type = cudaMemcpyOperandTypeArray;
    boxes[0].dst.op.array.array = array;
    boxes[0].extent = make_cudaExtent(8, 4, 1);
    boxes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    boxes[1] = boxes[0];
    boxes[1].src.op.ptr.ptr = host + 40;
    boxes[1].src.op.ptr.rowLength = 0;
    boxes[1].dst.op.array.offset = {2, 1, 0};
    boxes[1].extent = make_cudaExtent(3, 2, 1);
#if CUDART_VERSION >= 13000
    CHECK(cudaMemcpy3DBatchAsync(2, boxes, 0, stream));
#else
    CHECK(cudaMemcpy3DBatchAsync(2, boxes, &failed, 0, stream));
#endif
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy2DFromArray(back, 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 4; y++)
        std::memcpy(want + 32 * y, host + 40 * y, 32);
    for (int y = 0; y < 2; y++)
        std::memcpy(want + 32 * (y + 1) + 8, host + 40 + 12 * y, 12);
    std::printf("boxes: %d, %d\n", std::memcmp(back, want, 128), back[40]);
    boxes[1].dst.op.array.offset = {7, 0, 0};
#if CUDART_VERSION >= 13000
    size_t failed = 1;
    std::printf("outside: %s", cudaGetErrorName(cudaMemcpy3DBatchAsync(2, boxes, 0, stream)));
#else
    std::printf("outside: %s", cudaGetErrorName(cudaMemcpy3DBatchAsync(2, boxes, &failed, 0, stream)));
#endif
    std::printf(" at %zu\n", failed);
    cudaGetLastError();
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(device));
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
