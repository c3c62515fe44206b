#include <cuda_bf16.h>
#include <cuda_fp16.h>

// 1: integers of all widths.
__global__ void integers(int *out) {
    int t = threadIdx.x; //# t %d
    signed char tiny = -3 - t; //# tiny %d '\\%03o' : tiny, (unsigned char)tiny
    unsigned char byte = 250 - t; //# byte %d '\\%03o' : byte, byte
    short brief = -300 * t; //# brief %d
    unsigned short wide = 65000 + t; //# wide %d
    unsigned int word = 4000000000u + t; //# word %u
    long long big = -5000000000LL * t; //# big %lld
    unsigned long long huge = 0xfedcba9876543210ULL + t; //# huge %llu
    brief += tiny;
    big = big / 3 + byte;
    huge ^= word;
    out[t] = (int)(tiny + byte + brief + wide + word + big + huge);
}

// 2: floats, and what comes of them.
__global__ void floats(int *out) {
    int t = threadIdx.x; //# t %d
    float single = t * 0.1f; //# single %.9g
    double both = t / 3.0; //# both %.17g
    float sum = 0; //# sum %.9g
    for (int i = 0; i < 3; i++) { //# i %d
        float part = single * i; //# part %.9g
        sum += part;
    }
    double product = both * sum; //# product %.17g
    float tiny = 1e-40f * t; //# tiny %.9g
    out[t] = (int)(product + tiny + sum);
}

// 3: characters, truth, and enumerators. Of a `bool` that is in a predicate alone nvcc writes nothing.
enum Color { RED, GREEN = 5, BLUE };
enum class Level : unsigned char { Low = 1, High = 200 };
__global__ void words(int *out) {
    int t = threadIdx.x; //# t %d
    char letter = 'A' + t % 26; //# letter %d '%c' : letter, letter
    bool truth[2] = {t % 2 == 1, t > 40}; //# truth {%s, %s} : truth[0] ? "true" : "false", truth[1] ? "true" : "false"
    Color color = truth[0] ? GREEN : BLUE; //# color %s : color == GREEN ? "GREEN" : "BLUE"
    Level level = truth[0] ? Level::High : Level::Low; //# level %s : level == Level::High ? "Level::High" : "Level::Low"
    truth[1] = !truth[1];
    color = truth[1] ? GREEN : BLUE;
    letter++;
    out[t] = letter + truth[0] + color + (int)level;
}

// 4: halves.
__global__ void halves(int *out) {
    int t = threadIdx.x; //# t %d
    __half half = __float2half(0.5f + t); //# half %.9g : __half2float(half)
    __nv_bfloat16 brain = __float2bfloat16(3.0f * t); //# brain %.9g : __bfloat162float(brain)
    __half twice = __hadd(half, half); //# twice %.9g : __half2float(twice)
    __half row[3] = {half, twice, __float2half(-1.0f)}; //# row[1] %.9g : __half2float(row[1])
    half = __hmul(row[2], twice);
    brain = __hsub(brain, __float2bfloat16(1.0f));
    out[t] = (int)(__half2float(half) + __bfloat162float(brain) + __half2float(row[0]));
}
