// Modules, linking, kernels and launches of the driver API, also by functions that only old programs call.
// nvcc: -lcuda
// only: 13-shared
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <unistd.h>

extern "C" {
CUresult link_create_1(unsigned, CUjit_option *, void **, CUlinkState *) asm("cuLinkCreate");
CUresult link_data_1(CUlinkState, CUjitInputType, void *, size_t, const char *, unsigned, CUjit_option *, void **)
    asm("cuLinkAddData");
CUresult link_file_1(CUlinkState, CUjitInputType, const char *, unsigned, CUjit_option *, void **)
    asm("cuLinkAddFile");
}

static int wrong;

static void is(const char *what, CUresult found, CUresult expected = CUDA_SUCCESS)
{
    if (found == expected) return;
    const char *name = nullptr;
    cuGetErrorName(found, &name);
    std::printf("%s: %s\n", what, name);
    wrong++;
}

#define OK(call) is(#call, call)

#define HEAD ".version 7.0\n.target sm_50\n.address_size 64\n"

static char part[] = HEAD ".visible .func (.param .b32 r) twice(.param .b32 a)\n"
                          "{\n"
                          "    .reg .b32 %r<3>;\n"
                          "    ld.param.u32 %r1, [a];\n"
                          "    add.u32 %r2, %r1, %r1;\n"
                          "    st.param.b32 [r], %r2;\n"
                          "    ret;\n"
                          "}\n";

static char caller[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
                            ".visible .entry store(.param .u64 out, .param .u32 value, .param .f32 real)\n"
                            "{\n"
                            "    .reg .b32 %r<3>;\n"
                            "    .reg .b64 %d<2>;\n"
                            "    ld.param.u64 %d1, [out];\n"
                            "    ld.param.u32 %r1, [value];\n"
                            "    {\n"
                            "    .param .b32 a;\n"
                            "    .param .b32 r;\n"
                            "    st.param.b32 [a], %r1;\n"
                            "    call (r), twice, (a);\n"
                            "    ld.param.b32 %r2, [r];\n"
                            "    }\n"
                            "    st.global.u32 [%d1], %r2;\n"
                            "    ld.param.u32 %r1, [real];\n"
                            "    st.global.u32 [%d1+4], %r1;\n"
                            "    ret;\n"
                            "}\n";

static void show(const char *what, CUdeviceptr out)
{
    struct { unsigned number; float real; } found;
    OK(cuMemcpyDtoH(&found, out, 8));
    std::printf("%s: %u %g\n", what, found.number, found.real);
    OK(cuMemsetD32(out, 0, 2));
}

// The linked module; its text is of the caller.
static CUmodule link(const char *file)
{
    CUlinkState state;
    void *image = nullptr;
    size_t size = 0;
    OK(link_create_1(0, nullptr, nullptr, &state));
    OK(link_file_1(state, CU_JIT_INPUT_PTX, file, 0, nullptr, nullptr));
    OK(link_data_1(state, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller.ptx", 0, nullptr, nullptr));
    OK(cuLinkComplete(state, &image, &size));
    CUmodule module;
    OK(cuModuleLoadData(&module, image));
    OK(cuLinkDestroy(state));
    OK(cuLinkCreate(0, nullptr, nullptr, &state));
    is("half a program", cuLinkAddData(state, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller.ptx", 0, nullptr, nullptr));
    OK(cuLinkAddFile(state, CU_JIT_INPUT_PTX, file, 0, nullptr, nullptr));
    is("a file that is not there", cuLinkAddFile(state, CU_JIT_INPUT_PTX, "/nowhere", 0, nullptr, nullptr),
       CUDA_ERROR_FILE_NOT_FOUND);
    OK(cuLinkDestroy(state));
    return module;
}

static void old_launches(CUfunction function, CUdeviceptr out)
{
    OK(cuFuncSetBlockShape(function, 1, 1, 1));
    OK(cuFuncSetSharedSize(function, 0));
    OK(cuFuncSetSharedMemConfig(function, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
    OK(cuParamSetSize(function, 16));
    OK(cuParamSetv(function, 0, &out, 8));
    OK(cuParamSeti(function, 8, 21));
    OK(cuParamSetf(function, 12, 1.5f));
    OK(cuLaunch(function));
    show("cuLaunch", out);
    OK(cuParamSeti(function, 8, 8));
    OK(cuLaunchGridAsync(function, 1, 1, nullptr));
    show("cuLaunchGridAsync", out);
}

static size_t no_shared(int) { return 0; }

static void kernels(const char *file, CUdeviceptr out)
{
    CUlibrary library;
    CUkernel kernel;
    CUfunction function;
    OK(cuLibraryLoadFromFile(&library, file, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryGetKernel(&kernel, library, "mark"));
    size_t count = 0, offset = 0, size = 0;
    OK(cuKernelGetParamCount(kernel, &count));
    std::printf("%zu parameters\n", count);
    for (size_t i = 0; i < count; i++) {
        OK(cuKernelGetParamInfo(kernel, i, &offset, &size));
        std::printf("parameter %zu: %zu bytes at %zu\n", i, size, offset);
    }
    is("one more", cuKernelGetParamInfo(kernel, count, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    OK(cuKernelSetCacheConfig(kernel, CU_FUNC_CACHE_PREFER_SHARED, 0));
    OK(cuKernelGetFunction(&function, kernel));
    CUfunctionLoadingState state;
    OK(cuFuncLoad(function));
    OK(cuFuncIsLoaded(&state, function));
    std::printf("loaded: %d\n", state == CU_FUNCTION_LOADING_STATE_LOADED);
    int grid = 0, block = 0;
    OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, function, no_shared, 0, 0, CU_OCCUPANCY_DEFAULT));
    std::printf("threads of a block: %d\n", block);
    unsigned char byte = 5;
    double real = 2.5;
    void *parameters[] = {&byte, &out, &real};
    OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
    show("cuLibraryLoadFromFile", out);
    OK(cuLibraryUnload(library));
}

static const char marks[] = HEAD ".visible .entry mark(.param .u8 byte, .param .u64 out, .param .f64 real)\n"
                                 "{\n"
                                 "    .reg .b32 %r<2>;\n"
                                 "    .reg .b64 %d<2>;\n"
                                 "    .reg .f64 %f<2>;\n"
                                 "    .reg .f32 %g<2>;\n"
                                 "    ld.param.u8 %r1, [byte];\n"
                                 "    ld.param.u64 %d1, [out];\n"
                                 "    ld.param.f64 %f1, [real];\n"
                                 "    cvt.rn.f32.f64 %g1, %f1;\n"
                                 "    st.global.u32 [%d1], %r1;\n"
                                 "    st.global.f32 [%d1+4], %g1;\n"
                                 "    ret;\n"
                                 "}\n";

int main()
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr out;
    CUfunction function;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&out, 8));
    char file[] = "/tmp/texunit-driver-modules-XXXXXX";
    FILE *stream = fdopen(mkstemp(file), "w");
    std::fputs(part, stream);
    std::fclose(stream);
    CUmodule module = link(file);
    OK(cuModuleGetFunction(&function, module, "store"));
    old_launches(function, out);
    stream = std::fopen(file, "w");
    std::fputs(marks, stream);
    std::fclose(stream);
    kernels(file, out);
    std::remove(file);
    OK(cuModuleUnload(module));
    is("a kernel of a module that is gone", cuFuncLoad(function), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree(out));
    std::printf("%d wrong\n", wrong);
}
