// cuFFTW: FFTW's interface to transforms of the host's memory, against sums.
// nvcc: -lcufftw
// only: 13-shared 13-static 12-shared
// stderr: fftw_plan_dft_1d: size 0 of a dimension is not at least 1
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

// Of cufftw.h what the program uses.
struct fftw_iodim { int n, is, os; };
struct fftw_iodim64 { ptrdiff_t n, is, os; };
typedef std::complex<double> Z;
typedef std::complex<float> C;
extern "C" {
void *fftw_plan_dft_1d(int, Z *, Z *, int, unsigned);
void *fftw_plan_dft_2d(int, int, Z *, Z *, int, unsigned);
void *fftw_plan_dft_r2c_3d(int, int, int, double *, Z *, unsigned);
void *fftw_plan_dft_c2r(int, const int *, Z *, double *, unsigned);
void *fftw_plan_guru64_dft_r2c(int, const fftw_iodim64 *, int, const fftw_iodim64 *, double *, Z *, unsigned);
void *fftwf_plan_many_dft(int, const int *, int, C *, const int *, int, int, C *, const int *, int, int, int, unsigned);
void *fftwf_plan_dft_r2c_1d(int, float *, C *, unsigned);
void *fftwf_plan_guru_dft(int, const fftw_iodim *, int, const fftw_iodim *, C *, C *, int, unsigned);
void fftw_execute(void *);
void fftw_execute_dft(void *, Z *, Z *);
void fftw_execute_dft_r2c(void *, double *, Z *);
void fftwf_execute(void *);
void fftw_destroy_plan(void *);
void fftwf_destroy_plan(void *);
void *fftw_malloc(size_t);
void fftw_free(void *);
int fftw_import_wisdom_from_file(FILE *);
double fftw_cost(void *);
void fftw_flops(void *, double *, double *, double *);
void fftw_cleanup();
}
enum { FORWARD = -1, BACKWARD = 1, ESTIMATE = 1 };

// The transform of rows of n numbers, by its definition.
template <class T> std::vector<Z> sums(const T *from, size_t rows, size_t n, size_t inner, int sign)
{
    std::vector<Z> to(rows * n * inner);
    for (size_t r = 0; r < rows; ++r)
        for (size_t i = 0; i < inner; ++i)
            for (size_t k = 0; k < n; ++k)
                for (size_t j = 0; j < n; ++j)
                    to[(r * n + k) * inner + i] += Z(from[(r * n + j) * inner + i]) *
                                                   std::polar(1.0, sign * 2 * M_PI * double(j * k % n) / double(n));
    return to;
}

template <class T> static void same(const char *what, const T *got, const Z *want, size_t n, double bound)
{
    double error = 0;
    for (size_t i = 0; i < n; ++i)
        error = std::fmax(error, std::abs(Z(got[i]) - want[i]));
    std::printf("%s: %s\n", what, error < bound ? "right" : "wrong");
}

template <class T> static void fill(T *to, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        to[i] = T(std::sin(3.0 * i), std::cos(double(i * i)));
}

int main()
{
    Z *in = (Z *)fftw_malloc(1000 * sizeof(Z)), *out = (Z *)fftw_malloc(1000 * sizeof(Z));
    std::printf("aligned: %d\n", (size_t)in % 16 == 0 && (size_t)out % 16 == 0);

    void *plan = fftw_plan_dft_1d(97, in, out, FORWARD, ESTIMATE);
    fill(in, 97);
    fftw_execute(plan);
    same("97", out, sums(in, 1, 97, 1, -1).data(), 97, 1e-12);
    // On other arrays, and again.
    std::vector<Z> other(97), result(97);
    fill(other.data(), 97);
    fftw_execute_dft(plan, other.data(), result.data());
    same("other arrays", result.data(), out, 97, 1e-300);
    fftw_destroy_plan(plan);

    plan = fftw_plan_dft_2d(12, 10, in, in, BACKWARD, ESTIMATE);
    fill(in, 120);
    std::vector<Z> want = sums(in, 12, 10, 1, 1);
    want = sums(want.data(), 1, 12, 10, 1);
    fftw_execute(plan);
    same("12 x 10 in place", in, want.data(), 120, 1e-11);
    fftw_destroy_plan(plan);

    // Real numbers there, and back from half a spectrum; in place rows are padded.
    const int sizes[] = {4, 5, 6};
    std::vector<double> real(120), back(120);
    for (int i = 0; i < 120; ++i)
        real[i] = std::sin(3.0 * i);
    plan = fftw_plan_dft_r2c_3d(4, 5, 6, real.data(), out, ESTIMATE);
    fftw_execute(plan);
    double *padded = (double *)in;
    for (int i = 0; i < 120; ++i)
        padded[i / 6 * 8 + i % 6] = real[i];
    void *inside = fftw_plan_dft_r2c_3d(4, 5, 6, padded, in, ESTIMATE);
    fftw_execute(inside);
    std::printf("padded in place: %s\n", std::memcmp(in, out, 80 * sizeof(Z)) ? "wrong" : "right");
    void *inverse = fftw_plan_dft_c2r(3, sizes, out, back.data(), ESTIMATE);
    fftw_execute(inverse);
    std::vector<Z> scaled(120);
    for (int i = 0; i < 120; ++i)
        scaled[i] = 120 * real[i];
    same("there and back", back.data(), scaled.data(), 120, 1e-11);
    fftw_destroy_plan(plan);
    fftw_destroy_plan(inside);
    fftw_destroy_plan(inverse);

    // Columns of a matrix of 8 rows of 30: without embed, stride and distance count.
    std::vector<C> a(240), b(240, C(7)), t(240);
    fill(a.data(), 240);
    const int n = 8;
    plan = fftwf_plan_many_dft(1, &n, 30, a.data(), nullptr, 30, 1, b.data(), nullptr, 30, 1, FORWARD, ESTIMATE);
    fftwf_execute(plan);
    want = sums(a.data(), 1, 8, 30, -1);
    same("columns", b.data(), want.data(), 240, 1e-5);
    fftwf_destroy_plan(plan);
    // The same by strides, along two dimensions of repetition and to rows of the transposed matrix.
    const fftw_iodim along = {8, 30, 1}, repeated[] = {{5, 6, 48}, {6, 1, 8}};
    plan = fftwf_plan_guru_dft(1, &along, 2, repeated, a.data(), t.data(), FORWARD, ESTIMATE);
    fftwf_execute(plan);
    for (int i = 0; i < 240; ++i)
        b[i] = t[i % 30 * 8 + i / 30];
    same("strides", b.data(), want.data(), 240, 1e-5);
    fftwf_destroy_plan(plan);

    // From the last number to the first.
    const fftw_iodim64 backwards = {120, -1, 1};
    plan = fftw_plan_guru64_dft_r2c(1, &backwards, 0, nullptr, &real[119], out, ESTIMATE);
    fftw_execute(plan);
    std::vector<double> reversed(real.rbegin(), real.rend());
    same("backwards", out, sums(reversed.data(), 1, 120, 1, -1).data(), 61, 1e-11);
    fftw_execute_dft_r2c(plan, &back[119], out);

    std::vector<float> few = {1, 2, 3, 4};
    void *short_plan = fftwf_plan_dft_r2c_1d(4, few.data(), t.data(), ESTIMATE);
    fftwf_execute(short_plan);
    std::printf("%g %g %g %g %g %g\n", t[0].real(), t[0].imag(), t[1].real(), t[1].imag(), t[2].real(), t[2].imag());
    fftwf_destroy_plan(short_plan);

    // What is no plan.
    double add = 1, mul = 1, fma = 1;
    fftw_flops(nullptr, &add, &mul, &fma);
    std::printf("%d %d %d %d %g %g\n", fftw_plan_dft_1d(0, in, out, FORWARD, ESTIMATE) == nullptr,
                fftw_plan_dft_1d(8, in, out, 0, ESTIMATE) == nullptr, fftw_plan_dft_c2r(4, sizes, in, &real[0], 0) == nullptr,
                fftw_import_wisdom_from_file(nullptr), fftw_cost(nullptr), add + mul + fma);
    // A plan of real numbers on complex ones.
    fftw_execute_dft(plan, in, out);
    fftw_destroy_plan(plan);
    fftw_execute(nullptr);
    fftw_execute((void *)12345);
    fftw_destroy_plan(nullptr);
    fftw_destroy_plan((void *)12345);
    fftw_cleanup();
    fftw_free(in);
    fftw_free(out);
    return 0;
}
