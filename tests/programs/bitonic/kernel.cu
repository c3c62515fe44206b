// A bitonic sort of 256 keys with their values in shared memory.

extern "C" __global__ void bitonic(float *keys, unsigned short *values)
{
    __shared__ float k[256];
    __shared__ unsigned short v[256];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += blockDim.x) { k[i] = keys[i]; v[i] = values[i]; }
    for (int size = 2; size <= 256; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int i = 2 * t - (t & (stride - 1));
            bool up = (i & size) == 0;
            if ((k[i] > k[i + stride]) == up) {
                float a = k[i]; k[i] = k[i + stride]; k[i + stride] = a;
                unsigned short b = v[i]; v[i] = v[i + stride]; v[i + stride] = b;
            }
        }
    __syncthreads();
    for (int i = t; i < 256; i += blockDim.x) { keys[i] = k[i]; values[i] = v[i]; }
}
