// What a test pays for running on texunit: kernels beside the same loops on the CPU, one thread each.
//
//   nvcc -O3 -arch=compute_86 bench/twins.cu -o twins
//   TEXUNIT_THREADS=1 texunit run ./twins
//
// The factor is the processor time of the launch, the first one left out, over that of the loop (-O3, as the compiler
// vectorises it); docs/ci.md has it. Both must give the same numbers, but for `resize`, whose loop has exact weights.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

static double now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static void check(cudaError_t e) {
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

template <class F> static double best(F f) {
    f();
    double least = 1e30;
    for (int i = 0; i < 5; ++i) {
        double start = now();
        f();
        least = std::min(least, now() - start);
    }
    return least;
}

template <class T> struct Device {
    T *p;
    size_t n;
    explicit Device(const std::vector<T> &v) : n(v.size()) {
        check(cudaMalloc(&p, n * sizeof(T)));
        check(cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~Device() { cudaFree(p); }
    std::vector<T> get() const {
        std::vector<T> v(n);
        check(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

template <class G, class C> static void compare(const char *name, G gpu, C cpu) {
    double g = best([&] { gpu(); check(cudaDeviceSynchronize()); }), c = best(cpu);
    std::printf("%-12s %10.2f ms %10.2f ms %8.1f\n", name, g, c, g / c);
}

static void same(const char *name, const std::vector<float> &a, const std::vector<float> &b, float allowed) {
    for (size_t i = 0; i < a.size(); ++i)
        if (!(std::fabs(a[i] - b[i]) <= allowed * std::max(1.0f, std::fabs(b[i])))) {
            std::fprintf(stderr, "%s: element %zu is %g and %g\n", name, i, a[i], b[i]);
            std::exit(1);
        }
}

static std::vector<float> random_floats(size_t n) {
    std::vector<float> v(n);
    unsigned state = 1;
    for (float &x : v) {
        state = state * 1664525u + 1013904223u;
        x = (state >> 8) * (1.0f / 16777216.0f);
    }
    return v;
}

__global__ void saxpy(int n, float a, const float *x, const float *y, float *z) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = a * x[i] + y[i];
}

__global__ void multiply(int n, const float *a, const float *b, float *c) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

__global__ void multiply_tiled(int n, const float *a, const float *b, float *c) {
    __shared__ float s[16][16], t[16][16];
    int i = threadIdx.x, j = threadIdx.y, x = blockIdx.x * 16 + i, y = blockIdx.y * 16 + j;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        s[j][i] = a[y * n + k + i];
        t[j][i] = b[(k + j) * n + x];
        __syncthreads();
        for (int l = 0; l < 16; ++l)
            sum += s[j][l] * t[l][i];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

static void multiply_on_cpu(int n, const float *a, const float *b, float *c) {
    for (int y = 0; y < n; ++y) {
        std::fill(c + y * n, c + (y + 1) * n, 0.0f);
        for (int k = 0; k < n; ++k)
            for (int x = 0; x < n; ++x)
                c[y * n + x] += a[y * n + k] * b[k * n + x];
    }
}

__global__ void reduce(const float *in, float *out) {
    __shared__ float part[256];
    int i = threadIdx.x;
    part[i] = in[blockIdx.x * 256 + i];
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (i < half)
            part[i] += part[i + half];
        __syncthreads();
    }
    if (i == 0)
        out[blockIdx.x] = part[0];
}

__global__ void histogram(int n, const unsigned char *in, unsigned *bins) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[in[i]], 1u);
}

__global__ void bodies(int n, const float4 *p, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = p[i];
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        float dx = p[k].x - me.x, dy = p[k].y - me.y, dz = p[k].z - me.z;
        sum += p[k].w / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
    }
    out[i] = sum;
}

// Lanes leave the loop at different times.
__host__ __device__ static int escape(int x, int y, int n) {
    float cx = 3.0f * x / n - 2.0f, cy = 3.0f * y / n - 1.5f, u = 0, v = 0;
    int i = 0;
    for (; i < 200 && u * u + v * v < 4.0f; ++i) {
        float t = u * u - v * v + cx;
        v = 2 * u * v + cy;
        u = t;
    }
    return i;
}

__global__ void mandelbrot(int n, float *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[y * n + x] = escape(x, y, n);
}

__global__ void resize(int n, cudaTextureObject_t t, float *out) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    out[y * n + x] = tex2D<float>(t, (x + 0.5f) / n, (y + 0.5f) / n);
}

static void resize_on_cpu(int n, int m, const float *in, float *out) {
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            float u = (x + 0.5f) * m / n - 0.5f, v = (y + 0.5f) * m / n - 0.5f;
            int i = (int)std::floor(u), j = (int)std::floor(v);
            float a = u - i, b = v - j;
            auto at = [&](int i, int j) {
                return in[std::clamp(j, 0, m - 1) * m + std::clamp(i, 0, m - 1)];
            };
            out[y * n + x] = (at(i, j) * (1 - a) + at(i + 1, j) * a) * (1 - b) +
                             (at(i, j + 1) * (1 - a) + at(i + 1, j + 1) * a) * b;
        }
}

static void arithmetic() {
    const int n = 1 << 20;
    auto x = random_floats(n), y = random_floats(n);
    std::vector<float> z(n);
    Device<float> dx(x), dy(y), dz(z);
    compare("saxpy", [&] { saxpy<<<n / 256, 256>>>(n, 2.5f, dx.p, dy.p, dz.p); },
            [&] { for (int i = 0; i < n; ++i) z[i] = 2.5f * x[i] + y[i]; });
    same("saxpy", dz.get(), z, 1e-6f);

    const int m = 192;
    std::vector<float> a(x.begin(), x.begin() + m * m), b(y.begin(), y.begin() + m * m), c(m * m);
    Device<float> da(a), db(b), dc(c);
    dim3 grid(m / 16, m / 16), block(16, 16);
    auto loop = [&] { multiply_on_cpu(m, a.data(), b.data(), c.data()); };
    compare("multiply", [&] { multiply<<<grid, block>>>(m, da.p, db.p, dc.p); }, loop);
    same("multiply", dc.get(), c, 1e-5f);
    compare("tiled", [&] { multiply_tiled<<<grid, block>>>(m, da.p, db.p, dc.p); }, loop);
    same("tiled", dc.get(), c, 1e-5f);

    std::vector<float> sums(n / 256);
    Device<float> ds(sums);
    compare("reduce", [&] { reduce<<<n / 256, 256>>>(dx.p, ds.p); }, [&] {
        for (int i = 0; i < n / 256; ++i) {
            float sum = 0;
            for (int k = 0; k < 256; ++k)
                sum += x[i * 256 + k];
            sums[i] = sum;
        }
    });
    same("reduce", ds.get(), sums, 1e-5f);

    const int k = 1024;
    std::vector<float4> p(k);
    for (int i = 0; i < k; ++i)
        p[i] = make_float4(x[i], y[i], x[k + i], y[k + i]);
    std::vector<float> force(k);
    Device<float4> dp(p);
    Device<float> df(force);
    compare("bodies", [&] { bodies<<<k / 128, 128>>>(k, dp.p, df.p); }, [&] {
        for (int i = 0; i < k; ++i) {
            float sum = 0;
            for (int j = 0; j < k; ++j) {
                float u = p[j].x - p[i].x, v = p[j].y - p[i].y, w = p[j].z - p[i].z;
                sum += p[j].w / std::sqrt(u * u + v * v + w * w + 0.01f);
            }
            force[i] = sum;
        }
    });
    same("bodies", df.get(), force, 1e-4f);
}

static void counts() {
    const int n = 1 << 20;
    std::vector<unsigned char> in(n);
    auto x = random_floats(n);
    for (int i = 0; i < n; ++i)
        in[i] = (unsigned char)(x[i] * 255);
    std::vector<unsigned> bins(256);
    Device<unsigned char> di(in);
    Device<unsigned> db(bins);
    auto zero = [&] { check(cudaMemset(db.p, 0, 256 * sizeof(unsigned))); };
    compare("histogram", [&] { zero(); histogram<<<n / 256, 256>>>(n, di.p, db.p); }, [&] {
        std::fill(bins.begin(), bins.end(), 0);
        for (int i = 0; i < n; ++i)
            ++bins[in[i]];
    });
    if (db.get() != bins)
        std::exit(1);
}

static void pictures() {
    const int n = 512, m = 384;
    dim3 grid(n / 16, n / 16), block(16, 16);
    std::vector<float> out(n * n);
    Device<float> d(out);
    compare("mandelbrot", [&] { mandelbrot<<<grid, block>>>(n, d.p); }, [&] {
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x)
                out[y * n + x] = escape(x, y, n);
    });

    auto in = random_floats(m * m);
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    check(cudaMallocArray(&array, &format, m, m));
    check(cudaMemcpy2DToArray(array, 0, 0, in.data(), m * 4, m * 4, m, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc desc = {};
    desc.addressMode[0] = desc.addressMode[1] = cudaAddressModeClamp;
    desc.filterMode = cudaFilterModeLinear;
    desc.normalizedCoords = 1;
    cudaTextureObject_t texture;
    check(cudaCreateTextureObject(&texture, &resource, &desc, nullptr));
    compare("resize", [&] { resize<<<grid, block>>>(n, texture, d.p); },
            [&] { resize_on_cpu(n, m, in.data(), out.data()); });
    // The unit's weights have 8 bits.
    same("resize", d.get(), out, 0.02f);
}

int main() {
    std::printf("%-12s %13s %13s %8s\n", "", "texunit", "CPU", "factor");
    arithmetic();
    counts();
    pictures();
}
