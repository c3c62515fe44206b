// Numbers of cuRAND's host API beside those of its device functions (curand_kernel.h), of all generators, orderings, seeds and offsets: bits and
// uniform numbers are the same; normal ones are but for the last bits of logarithms, and Poisson's but for few whose rejection these decide.
// Prints a line for each kind; ends with 1 if one differs.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <vector>

static void check(int code, const char *what, int line)
{
    if (code != 0) {
        std::printf("%s (line %d): %d\n", what, line, code);
        std::exit(1);
    }
}
#define CHECK(call) check((int)(call), #call, __LINE__)

enum What { Bits, Uniform, UniformDouble, Normal, NormalDouble, LogNormal, LogNormalDouble, Poisson };
static const char *const NAMES[] = {"bits", "uniform", "uniform double", "normal", "normal double", "log-normal", "log-normal double", "Poisson"};

__host__ __device__ static bool is_double(What what)
{
    return what == UniformDouble || what == NormalDouble || what == LogNormalDouble;
}

static const float MEAN = 0.5, DEVIATION = 1.25;

// Numbers of a state: those of `turn`, at `to`.
template <typename State>
__device__ int give(State *state, What what, double lambda, double *to)
{
    switch (what) {
    case Bits: to[0] = curand(state); return 1;
    case Uniform: to[0] = curand_uniform(state); return 1;
    case UniformDouble: to[0] = curand_uniform_double(state); return 1;
    case Normal: {
        float2 two = curand_normal2(state);
        to[0] = MEAN + DEVIATION * two.x;
        to[1] = MEAN + DEVIATION * two.y;
        return 2;
    }
    case NormalDouble: {
        double2 two = curand_normal2_double(state);
        to[0] = MEAN + DEVIATION * two.x;
        to[1] = MEAN + DEVIATION * two.y;
        return 2;
    }
    case LogNormal: {
        float2 two = curand_log_normal2(state, MEAN, DEVIATION);
        to[0] = two.x;
        to[1] = two.y;
        return 2;
    }
    case LogNormalDouble: {
        double2 two = curand_log_normal2_double(state, MEAN, DEVIATION);
        to[0] = two.x;
        to[1] = two.y;
        return 2;
    }
    default: to[0] = curand_poisson(state, lambda); return 1;
    }
}

__device__ int give(curandStatePhilox4_32_10_t *state, What what, double lambda, double *to)
{
    if (what == UniformDouble) {
        double2 two = curand_uniform2_double(state);
        to[0] = two.x;
        to[1] = two.y;
        return 2;
    }
    if (what == Poisson) {
        uint4 four = curand_poisson4(state, lambda);
        to[0] = four.x;
        to[1] = four.y;
        to[2] = four.z;
        to[3] = four.w;
        return 4;
    }
    return give<curandStatePhilox4_32_10_t>(state, what, lambda, to);
}

// A turn of a state gives `together` numbers; the first one of the array is the one at `offset`, the first of a turn.
template <typename State>
__global__ void turns(double *to, int n, What what, double lambda, unsigned long long seed, bool seeded, int states, int together, int per_turn,
                      unsigned long long offset)
{
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= states)
        return;
    unsigned long long first = offset / per_turn;
    // The turns that this state has had before.
    unsigned long long had = first / states + (thread < first % states);
    State state;
    curand_init(seeded ? seed + thread : seed, seeded ? 0 : thread, had * per_turn, &state);
    long long turn = ((long long)thread - (long long)(first % states) + states) % states;
    for (long long at = turn * together; at < n; at += (long long)states * together) {
        double numbers[4];
        for (int i = 0; i < together;) {
            int got = give(&state, what, lambda, numbers);
            for (int j = 0; j < got && i < together; ++j, ++i)
                if (at + i < n)
                    to[at + i] = numbers[j];
        }
    }
}

template <typename State>
__device__ double one(State *state, What what, double lambda)
{
    switch (what) {
    case Bits: return curand(state);
    case Uniform: return curand_uniform(state);
    case UniformDouble: return curand_uniform_double(state);
    case Normal: return MEAN + DEVIATION * curand_normal(state);
    case NormalDouble: return MEAN + DEVIATION * curand_normal_double(state);
    case LogNormal: return curand_log_normal(state, MEAN, DEVIATION);
    case LogNormalDouble: return curand_log_normal_double(state, MEAN, DEVIATION);
    default: return curand_poisson(state, lambda);
    }
}

__global__ void blocks(double *to, int n, What what, double lambda, curandStateMtgp32_t *states)
{
    for (int at = blockIdx.x * 256; at < n; at += gridDim.x * 256) {
        double number = one(&states[blockIdx.x], what, lambda);
        if (at + threadIdx.x < n)
            to[at + threadIdx.x] = number;
    }
}

// A dimension for each block.
template <typename State, typename Vectors>
__global__ void sequences(double *to, int each, What what, double lambda, Vectors *vectors, unsigned long long offset)
{
    State state;
    curand_init(vectors[blockIdx.x], offset, &state);
    for (int i = 0; i < each; ++i)
        to[blockIdx.x * each + i] = one(&state, what, lambda);
}

template <typename State, typename Vectors, typename Constant>
__global__ void scrambled(double *to, int each, What what, double lambda, Vectors *vectors, Constant *constants, unsigned long long offset)
{
    State state;
    curand_init(vectors[blockIdx.x], constants[blockIdx.x], offset, &state);
    for (int i = 0; i < each; ++i)
        to[blockIdx.x * each + i] = one(&state, what, lambda);
}

static bool failed = false;

// Compares numbers of a generator with those of device functions, in as many calls as are wanted.
static void compare(const char *title, curandGenerator_t generator, bool of_host, What what, double lambda, double *device, int n, int calls, int unit, bool is_wide)
{
    std::vector<double> want(n);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(want.data(), device, n * sizeof(double), cudaMemcpyDeviceToHost));
    size_t size = is_double(what) || (is_wide && what == Bits) ? 8 : 4;
    std::vector<char> bytes(n * size);
    char *memory = bytes.data();
    if (!of_host)
        CHECK(cudaMalloc(&memory, n * size));
    int part = n / calls / unit * unit;
    for (int call = 0; call < calls; ++call) {
        int first = call * part, count = call + 1 < calls ? part : n - first;
        char *at = memory + first * size;
        switch (what) {
        case Bits:
            if (is_wide)
                CHECK(curandGenerateLongLong(generator, (unsigned long long *)at, count));
            else
                CHECK(curandGenerate(generator, (unsigned *)at, count));
            break;
        case Uniform: CHECK(curandGenerateUniform(generator, (float *)at, count)); break;
        case UniformDouble: CHECK(curandGenerateUniformDouble(generator, (double *)at, count)); break;
        case Normal: CHECK(curandGenerateNormal(generator, (float *)at, count, MEAN, DEVIATION)); break;
        case NormalDouble: CHECK(curandGenerateNormalDouble(generator, (double *)at, count, MEAN, DEVIATION)); break;
        case LogNormal: CHECK(curandGenerateLogNormal(generator, (float *)at, count, MEAN, DEVIATION)); break;
        case LogNormalDouble: CHECK(curandGenerateLogNormalDouble(generator, (double *)at, count, MEAN, DEVIATION)); break;
        default: CHECK(curandGeneratePoisson(generator, (unsigned *)at, count, lambda));
        }
    }
    if (!of_host) {
        CHECK(cudaMemcpy(bytes.data(), memory, n * size, cudaMemcpyDeviceToHost));
        CHECK(cudaFree(memory));
    }
    int differ = 0, first = -1;
    double largest = 0;
    for (int i = 0; i < n; ++i) {
        double got;
        if (what == Bits || what == Poisson) {
            unsigned narrow;
            unsigned long long wide;
            std::memcpy(&narrow, &bytes[i * size], 4);
            if (size == 8)
                std::memcpy(&wide, &bytes[i * size], 8);
            got = size == 8 ? (double)wide : (double)narrow;
        } else if (size == 8) {
            std::memcpy(&got, &bytes[i * size], 8);
        } else {
            float narrow;
            std::memcpy(&narrow, &bytes[i * size], 4);
            got = narrow;
        }
        double bound = 0;
        if (what == Normal || what == LogNormal)
            bound = 2e-6 * (1 + std::fabs(want[i]));
        if (what == NormalDouble || what == LogNormalDouble)
            bound = 1e-13 * (1 + std::fabs(want[i]));
        double error = std::fabs(got - want[i]);
        largest = std::fmax(largest, error / (1 + std::fabs(want[i])));
        if (!(error <= bound)) {
            ++differ;
            if (first < 0) {
                first = i;
                std::printf("  %s, %s: number %d is %.17g, and %.17g on the device\n", title, NAMES[what], i, got, want[i]);
            }
        }
    }
    // A Poisson number that is rejected on one side alone moves all after it of its state.
    bool right = differ <= (what == Poisson ? n / 1000 : 0);
    failed |= !right;
    std::printf("%s, %s%s: %d of %d differ, largest error %.2g\n", title, NAMES[what], of_host ? " (host)" : "", differ, n, largest);
}

static const What ALL[] = {Bits, Uniform, UniformDouble, Normal, NormalDouble, LogNormal, LogNormalDouble, Poisson};

template <typename State>
static void pseudo(const char *title, curandRngType type, int states, int together, curandOrdering order, unsigned long long seed)
{
    const int n = 3 * states * together - 2 * together;
    double *device;
    CHECK(cudaMalloc(&device, n * sizeof(double)));
    for (What what : ALL)
        for (double lambda : {3.5, 200.0, 5000.0})
            for (int offset : {0, 5 * states + 12}) {
                if ((lambda != 3.5 && what != Poisson) || (offset && what != Bits && what != Normal))
                    continue;
                bool of_host = what == Uniform;
                // Numbers of a turn: of one number of two draws, one; of four draws, two in double precision.
                bool is_normal = what >= Normal && what <= LogNormalDouble;
                int turn = together == 1 ? (is_normal ? 2 : 1) : is_double(what) ? together / 2 : together;
                turns<State><<<(states + 127) / 128, 128>>>(device, n, what, lambda, seed, order == CURAND_ORDERING_PSEUDO_SEEDED, states, turn, together, offset);
                curandGenerator_t generator;
                CHECK(of_host ? curandCreateGeneratorHost(&generator, type) : curandCreateGenerator(&generator, type));
                CHECK(curandSetPseudoRandomGeneratorSeed(generator, seed));
                CHECK(curandSetGeneratorOrdering(generator, order));
                CHECK(curandSetGeneratorOffset(generator, offset));
                compare(title, generator, of_host, what, lambda, device, n, 3, 4, false);
                CHECK(curandDestroyGenerator(generator));
            }
    CHECK(cudaFree(device));
}

static void mtgp(const char *title, int states, curandOrdering order, unsigned long long seed)
{
    const int n = 2 * states * 256 - 100;
    double *device;
    curandStateMtgp32_t *all;
    mtgp32_kernel_params_t *constants;
    CHECK(cudaMalloc(&device, n * sizeof(double)));
    CHECK(cudaMalloc(&all, states * sizeof *all));
    CHECK(cudaMalloc(&constants, sizeof *constants));
    CHECK(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, constants));
    for (What what : ALL) {
        CHECK(curandMakeMTGP32KernelState(all, mtgp32dc_params_fast_11213, constants, states, seed));
        blocks<<<states, 256>>>(device, n, what, 20, all);
        curandGenerator_t generator;
        CHECK(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_MTGP32));
        CHECK(curandSetPseudoRandomGeneratorSeed(generator, seed));
        CHECK(curandSetGeneratorOrdering(generator, order));
        compare(title, generator, false, what, 20, device, n, 3, 2, false);
        CHECK(curandDestroyGenerator(generator));
    }
    CHECK(cudaFree(device));
    CHECK(cudaFree(all));
    CHECK(cudaFree(constants));
}

template <typename State, typename Vectors, typename Constant>
static void quasi(const char *title, curandRngType type, Vectors *vectors, Constant *constants)
{
    const int dimensions = 23, each = 700, n = dimensions * each;
    const unsigned long long offset = 11;
    double *device;
    Vectors *some;
    Constant *numbers;
    CHECK(cudaMalloc(&device, n * sizeof(double)));
    CHECK(cudaMalloc(&some, dimensions * sizeof *some));
    CHECK(cudaMalloc(&numbers, dimensions * sizeof *numbers));
    CHECK(cudaMemcpy(some, vectors, dimensions * sizeof *some, cudaMemcpyHostToDevice));
    if (constants)
        CHECK(cudaMemcpy(numbers, constants, dimensions * sizeof *numbers, cudaMemcpyHostToDevice));
    for (What what : ALL)
        for (double lambda : {30.0, 3000.0}) {
            if (lambda > 30 && what != Poisson)
                continue;
            if constexpr (std::is_same<State, curandStateSobol32_t>::value || std::is_same<State, curandStateSobol64_t>::value)
                sequences<State><<<dimensions, 1>>>(device, each, what, lambda, some, offset);
            else
                scrambled<State><<<dimensions, 1>>>(device, each, what, lambda, some, numbers, offset);
            curandGenerator_t generator;
            CHECK(curandCreateGenerator(&generator, type));
            CHECK(curandSetQuasiRandomGeneratorDimensions(generator, dimensions));
            CHECK(curandSetGeneratorOffset(generator, offset));
            compare(title, generator, false, what, lambda, device, n, 1, dimensions, sizeof(Constant) == 8);
            CHECK(curandDestroyGenerator(generator));
        }
    CHECK(cudaFree(device));
    CHECK(cudaFree(some));
    CHECK(cudaFree(numbers));
}

__global__ void discrete(unsigned *to, int n, curandDiscreteDistribution_t distribution)
{
    curandState state;
    curand_init(7, threadIdx.x, 0, &state);
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        to[i] = curand_discrete(&state, distribution);
}

// Numbers of a table have the mean and the variance of Poisson's.
static void tables(double lambda)
{
    const int n = 50000;
    unsigned *device;
    CHECK(cudaMalloc(&device, n * sizeof *device));
    curandDiscreteDistribution_t distribution;
    CHECK(curandCreatePoissonDistribution(lambda, &distribution));
    discrete<<<1, 256>>>(device, n, distribution);
    std::vector<unsigned> numbers(n);
    CHECK(cudaMemcpy(numbers.data(), device, n * sizeof *device, cudaMemcpyDeviceToHost));
    CHECK(curandDestroyDistribution(distribution));
    CHECK(cudaFree(device));
    double sum = 0, squares = 0;
    for (unsigned number : numbers) {
        sum += number;
        squares += (number - lambda) * (number - lambda);
    }
    bool right = std::fabs(sum / n - lambda) < 5 * std::sqrt(lambda / n) && std::fabs(squares / n / lambda - 1) < 0.05;
    failed |= !right;
    std::printf("table of lambda %g: mean %.4g, variance %.4g\n", lambda, sum / n, squares / n);
}

int main()
{
    const unsigned long long seed = 0x123456789abcdefull;
    pseudo<curandStateXORWOW_t>("XORWOW", CURAND_RNG_PSEUDO_DEFAULT, 4096, 1, CURAND_ORDERING_PSEUDO_DEFAULT, seed);
    pseudo<curandStateXORWOW_t>("XORWOW, seeded", CURAND_RNG_PSEUDO_XORWOW, 4096, 1, CURAND_ORDERING_PSEUDO_SEEDED, 0);
    pseudo<curandStateMRG32k3a_t>("MRG32k3a, legacy", CURAND_RNG_PSEUDO_MRG32K3A, 4096, 1, CURAND_ORDERING_PSEUDO_LEGACY, seed);
    pseudo<curandStateMRG32k3a_t>("MRG32k3a", CURAND_RNG_PSEUDO_MRG32K3A, 81920, 1, CURAND_ORDERING_PSEUDO_BEST, 0);
    pseudo<curandStatePhilox4_32_10_t>("Philox", CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 4, CURAND_ORDERING_PSEUDO_DEFAULT, seed);
    mtgp("MTGP32", 192, CURAND_ORDERING_PSEUDO_DEFAULT, seed);
    mtgp("MTGP32, legacy", 64, CURAND_ORDERING_PSEUDO_LEGACY, 5);
    curandDirectionVectors32_t *vectors32;
    curandDirectionVectors64_t *vectors64;
    unsigned *constants32;
    unsigned long long *constants64;
    CHECK(curandGetScrambleConstants32(&constants32));
    CHECK(curandGetScrambleConstants64(&constants64));
    CHECK(curandGetDirectionVectors32(&vectors32, CURAND_DIRECTION_VECTORS_32_JOEKUO6));
    quasi<curandStateSobol32_t>("Sobol32", CURAND_RNG_QUASI_SOBOL32, vectors32, (unsigned *)nullptr);
    CHECK(curandGetDirectionVectors32(&vectors32, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6));
    quasi<curandStateScrambledSobol32_t>("scrambled Sobol32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, vectors32, constants32);
    CHECK(curandGetDirectionVectors64(&vectors64, CURAND_DIRECTION_VECTORS_64_JOEKUO6));
    quasi<curandStateSobol64_t>("Sobol64", CURAND_RNG_QUASI_SOBOL64, vectors64, (unsigned long long *)nullptr);
    CHECK(curandGetDirectionVectors64(&vectors64, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6));
    quasi<curandStateScrambledSobol64_t>("scrambled Sobol64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64, vectors64, constants64);
    for (double lambda : {0.7, 40.0, 1999.0, 2500.0})
        tables(lambda);
    return failed;
}
