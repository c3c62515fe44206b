// nvcc: -rdc=true -lcudadevrt
// Sorting by kernels that launch themselves on both parts: one thread each with streams of its own, then whole warps that
// partition with ballots and hand small parts to a bitonic sort.
#include <cstdio>
#include "checks.h"

const int MAX_DEPTH = 16, INSERTION = 32;

__device__ void selection_sort(unsigned *data, int left, int right)
{
    for (int i = left; i <= right; i++) {
        int least = i;
        for (int j = i + 1; j <= right; j++)
            if (data[j] < data[least]) least = j;
        unsigned value = data[i];
        data[i] = data[least], data[least] = value;
    }
}

__global__ void quicksort(unsigned *data, int left, int right, int depth)
{
    if (depth >= MAX_DEPTH || right - left <= INSERTION) {
        selection_sort(data, left, right);
        return;
    }
    unsigned *l = data + left, *r = data + right, pivot = data[(left + right) / 2];
    while (l <= r) {
        while (*l < pivot) l++;
        while (*r > pivot) r--;
        if (l <= r) {
            unsigned value = *l;
            *l++ = *r, *r-- = value;
        }
    }
    int end = r - data, begin = l - data;
    if (left < end) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(data, left, end, depth + 1);
        cudaStreamDestroy(s);
    }
    if (begin < right) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        quicksort<<<1, 1, 0, s>>>(data, begin, right, depth + 1);
        cudaStreamDestroy(s);
    }
}

// How far the parts of one partition are.
struct Part { unsigned less, more, arrived; };
__device__ Part parts[4096];
__device__ unsigned parts_taken;

__global__ void bitonic(unsigned *data, unsigned n)
{
    __shared__ unsigned s[1024];
    unsigned i = threadIdx.x;
    s[i] = i < n ? data[i] : ~0u;
    __syncthreads();
    for (unsigned k = 2; k <= 1024; k *= 2)
        for (unsigned j = k / 2; j; j /= 2) {
            unsigned other = i ^ j;
            if (other > i && (s[i] > s[other]) == !(i & k)) {
                unsigned value = s[i];
                s[i] = s[other], s[other] = value;
            }
            __syncthreads();
        }
    if (i < n) data[i] = s[i];
}

__global__ void partition(unsigned *from, unsigned *to, unsigned n, Part *part, unsigned pivot, unsigned *home);

__device__ void sort_part(unsigned *data, unsigned *spare, unsigned n, unsigned *home)
{
    if (n == 0) return;
    if (n <= 1024) {
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        if (data != home) cudaMemcpyAsync(home, data, 4 * n, cudaMemcpyDeviceToDevice, s);
        bitonic<<<1, 1024, 0, s>>>(home, n);
        cudaStreamDestroy(s);
        return;
    }
    Part *part = &parts[atomicAdd(&parts_taken, 1)];
    *part = Part{0, 0, 0};
    partition<<<(n + 255) / 256, 256>>>(data, spare, n, part, data[n / 2], home);
}

// Each warp counts its own with ballots, takes room for them on both sides, and the last one goes on.
__global__ void partition(unsigned *from, unsigned *to, unsigned n, Part *part, unsigned pivot, unsigned *home)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    bool is_in = i < n;
    unsigned value = is_in ? from[i] : 0;
    unsigned less = __ballot_sync(~0u, is_in && value < pivot), more = __ballot_sync(~0u, is_in && value >= pivot);
    unsigned at_less = 0, at_more = 0;
    if (lane == 0) {
        at_less = atomicAdd(&part->less, __popc(less));
        at_more = atomicAdd(&part->more, __popc(more));
    }
    at_less = __shfl_sync(~0u, at_less, 0), at_more = __shfl_sync(~0u, at_more, 0);
    unsigned before = (1u << lane) - 1;
    if (is_in && value < pivot) to[at_less + __popc(less & before)] = value;
    if (is_in && value >= pivot) to[n - 1 - at_more - __popc(more & before)] = value;
    __syncthreads();
    if (threadIdx.x) return;
    __threadfence();
    if (atomicAdd(&part->arrived, 1) != gridDim.x - 1) return;
    __threadfence();
    unsigned n_less = part->less;
    if (n_less == 0) {
        // The least value is the pivot: it goes first, and the rest is sorted.
        unsigned k = 0;
        while (to[k] != pivot) k++;
        to[k] = to[0], to[0] = pivot;
        *home = pivot;
        sort_part(to + 1, from + 1, n - 1, home + 1);
        return;
    }
    sort_part(to, from, n_less, home);
    sort_part(to + n_less, from + n_less, n - n_less, home + n_less);
}

__global__ void start(unsigned *data, unsigned *spare, unsigned n) { sort_part(data, spare, n, data); }

static bool is_sorted(const unsigned *data, int n, unsigned long long sum)
{
    for (int i = 0; i < n; i++) {
        if (i && data[i - 1] > data[i]) return false;
        sum -= data[i];
    }
    return sum == 0;
}

int main()
{
    const int N = 20000;
    static unsigned host[N], sorted[N];
    unsigned long long sum[2] = {};
    unsigned state = 1;
    for (int i = 0; i < N; i++) {
        state = state * 1664525 + 1013904223;
        host[i] = state >> 12;
        sum[0] += i < 2000 ? host[i] : 0, sum[1] += host[i];
    }
    unsigned *data, *spare;
    OK(cudaMalloc(&data, sizeof host)), OK(cudaMalloc(&spare, sizeof host));
    OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    quicksort<<<1, 1>>>(data, 0, 1999, 0);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(sorted, data, sizeof host, cudaMemcpyDeviceToHost));
    same("the simple one", is_sorted(sorted, 2000, sum[0]));
    OK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    start<<<1, 1>>>(data, spare, N);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(sorted, data, sizeof host, cudaMemcpyDeviceToHost));
    same("the advanced one", is_sorted(sorted, N, sum[1]));
    OK(cudaFree(data)), OK(cudaFree(spare));
    std::printf("%d\n", wrong);
}
