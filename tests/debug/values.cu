#include <cuda_fp16.h>
#include <cuda_bf16.h>

enum Color { RED, GREEN = 5, BLUE };
enum class Level : unsigned char { Low = 1, High = 200 };
struct Base { int id; };
struct Derived : Base { double weight; };
union Word { float f; unsigned int bits; unsigned char bytes[4]; };
struct Flags { unsigned int a : 3; unsigned int b : 5; int c : 4; };
struct Node { int value; Node *next; };
template <typename T, int N> struct Small { T data[N]; };
namespace geo { struct Point { float x, y; }; }

__device__ int counter = 7;
__constant__ float scale[3] = {0.5f, 1.5f, 2.5f};

template <typename T> __device__ __noinline__ T largest(const T *from, int n) {
    T best = from[0];
    for (int i = 1; i < n; i++)
        if (from[i] > best)
            best = from[i];
    return best;
}

__device__ __noinline__ int depth(int n) {
    int twice = 2 * n;
    if (n == 0)
        return twice;
    return depth(n - 1) + twice;
}

struct Adder {
    int amount;
    __device__ __noinline__ int apply(int x) { int sum = x + amount; return sum; }
};

__global__ void values(float *out, int n, Derived given) {
    __shared__ int tile[8];
    __shared__ geo::Point points[2];
    int t = threadIdx.x;
    bool even = t % 2 == 0;
    char letter = 'a' + t;
    signed char small = -3;
    unsigned char byte = 250;
    short brief = -300;
    unsigned short wide = 65000;
    long long big = -5000000000LL + t;
    unsigned long long huge = 0xfedcba9876543210ULL;
    float single = t * 0.25f;
    double both = t / 3.0;
    Color color = t == 1 ? GREEN : BLUE;
    Level level = Level::High;
    Derived derived; derived.id = t; derived.weight = 2.5 * t;
    Word word; word.f = 1.5f;
    Flags flags; flags.a = 5; flags.b = 17; flags.c = -2;
    int numbers[6]; for (int i = 0; i < 6; i++) numbers[i] = i * i - t;
    int table[2][3]; for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) table[i][j] = 10 * i + j;
    Node second = {2, nullptr}; Node first = {1, &second};
    Small<short, 4> packed; for (int i = 0; i < 4; i++) packed.data[i] = i - t;
    float4 vec = make_float4(1.0f, 2.0f, 3.0f, (float)t);
    __half half = __float2half(0.5f + t);
    __nv_bfloat16 brain = __float2bfloat16(3.0f);
    int &alias = numbers[2];
    const char *text = "hello";
    Adder adder; adder.amount = 100;
    auto lambda = [=](int x) { return x * t; };
    tile[t % 8] = t; points[t % 2].x = 0.5f; points[t % 2].y = t;
    __syncthreads();
    int most = largest(numbers, 6);
    int deep = depth(3);
    int applied = adder.apply(t);
    int called = lambda(6);
    alias += 1;
    out[t] = single + most + deep + applied + called + first.next->value + text[1] + both + big + huge + word.bits + flags.b
        + table[1][2] + packed.data[1] + vec.w + __half2float(half) + __bfloat162float(brain) + small + byte + brief + wide
        + letter + even + (int)color + (int)level + given.weight + derived.weight + tile[t % 8] + scale[1] + counter + n;
}
