// Copies of rows and boxes beside kernels of another stream, for `texunit run --check race`. The first argument is a case; a second one
// says that everything is waited for (waits), or that the kernel accesses what is between the rows (beside).
#include <cstdio>
#include <cstring>

constexpr int W = 64, H = 48, COPIED = 40;

// A thread for each row and each word behind `from`.
__global__ void put(int *p, int from) { p[blockIdx.x * W + from + threadIdx.x] = threadIdx.x; }

__global__ void get(const int *p, int from, int *q) {
    q[blockIdx.x * W + threadIdx.x] = p[blockIdx.x * W + from + threadIdx.x];
}

__global__ void fetch(cudaTextureObject_t t, int from, int *q) {
    q[blockIdx.x * W + threadIdx.x] = tex2D<int>(t, from + threadIdx.x, blockIdx.x);
}

__global__ void put_texel(cudaSurfaceObject_t s, int from) {
    surf2Dwrite<int>(threadIdx.x, s, (from + threadIdx.x) * sizeof(int), blockIdx.x);
}

__global__ void get_texel(cudaSurfaceObject_t s, int from, int *q) {
    q[blockIdx.x * W + threadIdx.x] = surf2Dread<int>(s, (from + threadIdx.x) * sizeof(int), blockIdx.x);
}

int main(int argc, char **argv) {
    auto is = [&](const char *name) { return !strcmp(argv[1], name); };
    bool waits = argc > 2 && !strcmp(argv[2], "waits");
    int from = argc > 2 && !waits ? COPIED : 20;
    constexpr size_t PITCH = W * sizeof(int), WIDTH = COPIED * sizeof(int);
    int *p, *q, *r;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMalloc(&p, H * PITCH);
    cudaMalloc(&q, H * PITCH);
    cudaMalloc(&r, H * PITCH);
    cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore);
    cudaResourceDesc of_array = {};
    of_array.resType = cudaResourceTypeArray;
    of_array.res.array.array = array;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    cudaCreateTextureObject(&texture, &of_array, &how, nullptr);
    cudaCreateSurfaceObject(&surface, &of_array);
    cudaMemset(p, 1, H * PITCH);
    cudaStream_t a, b;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    if (is("rows-write") || is("array-read"))
        get<<<H, W - COPIED, 0, a>>>(p, from, r);
    else if (is("texture-write"))
        fetch<<<H, W - COPIED, 0, a>>>(texture, from, r);
    else if (is("surface-write"))
        get_texel<<<H, W - COPIED, 0, a>>>(surface, from, r);
    else if (is("surface-read") || is("surface-both"))
        put_texel<<<H, W - COPIED, 0, a>>>(surface, from);
    else
        put<<<H, W - COPIED, 0, a>>>(p, from);
    if (waits) cudaStreamSynchronize(a);
    if (is("rows-read")) {
        cudaMemcpy2DAsync(q, PITCH, p, PITCH, WIDTH, H, cudaMemcpyDeviceToDevice, b);
    } else if (is("rows-write") || is("rows-both")) {
        cudaMemcpy2DAsync(p, PITCH, q, PITCH, WIDTH, H, cudaMemcpyDeviceToDevice, b);
    } else if (is("rows-set")) {
        cudaMemset2DAsync(p, PITCH, 0, WIDTH, H, b);
    } else if (is("box-read")) {
        cudaMemcpy3DParms box = {};
        box.srcPtr = make_cudaPitchedPtr(p, PITCH, W, H / 4);
        box.dstPtr = make_cudaPitchedPtr(q, PITCH, W, H / 4);
        box.extent = make_cudaExtent(WIDTH, H / 4, 4);
        box.kind = cudaMemcpyDeviceToDevice;
        cudaMemcpy3DAsync(&box, b);
    } else if (is("array-write") || is("texture-write") || is("surface-write") || is("surface-both")) {
        cudaMemcpy2DToArrayAsync(array, 0, 0, p, PITCH, WIDTH, H, cudaMemcpyDeviceToDevice, b);
    } else if (is("array-read") || is("surface-read")) {
        cudaMemcpy2DFromArrayAsync(p, PITCH, array, 0, 0, WIDTH, H, cudaMemcpyDeviceToDevice, b);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
