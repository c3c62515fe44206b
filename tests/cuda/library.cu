// Libraries: PTX that is loaded while the program runs, from memory and from a file. What is refused, and that texts are
// not read at once, is as an NVIDIA H200 (sm_90) answered, driver 580.159.04, CUDA 13.0, 2026-11-28.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

static const char ptx[] = ".version 7.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".visible .global .align 4 .u32 factor = 3;\n"
                          ".visible .global .attribute(.managed) .align 4 .u32 shared = 11;\n"
                          ".visible .entry times(.param .u64 out) {\n"
                          "    .reg .b32 %r<4>;\n"
                          "    .reg .b64 %d<3>;\n"
                          "    ld.param.u64 %d1, [out];\n"
                          "    ld.global.u32 %r1, [factor];\n"
                          "    ld.global.u32 %r2, [%d1];\n"
                          "    mul.lo.u32 %r3, %r1, %r2;\n"
                          "    st.global.u32 [%d1], %r3;\n"
                          "    ret;\n"
                          "}\n"
                          ".visible .entry other() { ret; }\n";

#define CHECK(call)                                                                                 \
    do {                                                                                            \
        cudaError_t code = (call);                                                                  \
        if (code != cudaSuccess)                                                                    \
            std::printf("%s: %s\n", #call, cudaGetErrorName(code));                                 \
    } while (0)

// Writes the PTX to a file, and loads that.
static void from_file()
{
    const char *folder = std::getenv("TMPDIR");
    char name[4096];
    std::snprintf(name, sizeof name, "%s/texunit-library-XXXXXX", folder ? folder : "/tmp");
    int file = mkstemp(name);
    if (file < 0 || write(file, ptx, std::strlen(ptx)) != (ssize_t)std::strlen(ptx) || close(file))
        std::printf("no file\n");
    cudaLibrary_t library;
    cudaKernel_t kernel;
    unsigned count = 0;
    CHECK(cudaLibraryLoadFromFile(&library, name, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unlink(name);
    CHECK(cudaLibraryGetKernelCount(&count, library));
    CHECK(cudaLibraryGetKernel(&kernel, library, "other"));
    CHECK(cudaLaunchKernel((const void *)kernel, 1, 1, nullptr, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaLibraryUnload(library));
    std::printf("%u kernels of a file\n", count);
    std::printf("%s\n", cudaGetErrorName(cudaLibraryLoadFromFile(&library, name, nullptr, nullptr, 0, nullptr,
                                                                 nullptr, 0)));
}

int main()
{
    cudaLibrary_t library;
    CHECK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    unsigned count = 0;
    CHECK(cudaLibraryGetKernelCount(&count, library));
    std::printf("%u kernels\n", count);
    cudaKernel_t kernel, all[2];
    CHECK(cudaLibraryGetKernel(&kernel, library, "times"));
    CHECK(cudaLibraryEnumerateKernels(all, 2, library));
    // In an order that is not specified.
    std::printf("%d\n", all[0] == kernel || all[1] == kernel);
    int *value, host = 14;
    CHECK(cudaMalloc(&value, sizeof *value));
    CHECK(cudaMemcpy(value, &host, sizeof host, cudaMemcpyHostToDevice));
    void *args[] = {&value};
    CHECK(cudaLaunchKernel((const void *)kernel, 1, 1, args, 0, 0));
    CHECK(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d\n", host);
    void *factor = nullptr;
    size_t size = 0;
    CHECK(cudaLibraryGetGlobal(&factor, &size, library, "factor"));
    std::printf("%zu bytes\n", size);
    host = 100;
    CHECK(cudaMemcpy(factor, &host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaLaunchKernel((const void *)kernel, 1, 1, args, 0, 0));
    CHECK(cudaMemcpy(&host, value, sizeof host, cudaMemcpyDeviceToHost));
    std::printf("%d\n", host);
    int *shared = nullptr;
    CHECK(cudaLibraryGetManaged((void **)&shared, &size, library, "shared"));
    std::printf("%d, %zu bytes\n", *shared, size);
    std::printf("%s\n", cudaGetErrorName(cudaLibraryGetManaged((void **)&shared, &size, library, "factor")));
    void *function = nullptr;
    std::printf("%s\n", cudaGetErrorName(cudaLibraryGetUnifiedFunction(&function, library, "times")));
    std::printf("%s\n", cudaGetErrorName(cudaLibraryGetKernel(&kernel, library, "none")));
    CHECK(cudaLibraryUnload(library));
    std::printf("%s\n", cudaGetErrorName(cudaLaunchKernel((const void *)all[0], 1, 1, args, 0, 0)));
    std::printf("%s\n", cudaGetErrorName(cudaLibraryLoadData(&library, "not ptx", nullptr, nullptr, 0,
                                                             nullptr, nullptr, 0)));
    from_file();
}
