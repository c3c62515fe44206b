// The rows of a surface of bytes, reversed, as elements of every type.
extern "C" __global__ void surface_types(cudaSurfaceObject_t s)
{
    int n = threadIdx.x;
    {
        unsigned char v = surf2Dread<unsigned char>(s, n, 0);
        __syncthreads();
        surf2Dwrite(v, s, 31 - n, 0);
    }
#define ROW(type, size, y)                                                                                                                                     \
    if (n < 32 / size) {                                                                                                                                       \
        type v = surf2Dread<type>(s, n * size, y);                                                                                                             \
        __syncwarp(__activemask());                                                                                                                            \
        surf2Dwrite(v, s, 32 - size - n * size, y);                                                                                                            \
    }                                                                                                                                                          \
    __syncwarp();
    ROW(char2, 2, 1)
    ROW(uchar4, 4, 2)
    ROW(short, 2, 3)
    ROW(ushort2, 4, 4)
    ROW(short4, 8, 5)
    ROW(int, 4, 6)
    ROW(uint2, 8, 7)
    ROW(int4, 16, 8)
    ROW(long long, 8, 9)
    ROW(ulonglong2, 16, 10)
    ROW(float, 4, 11)
    ROW(float2, 8, 12)
    ROW(float4, 16, 13)
}
