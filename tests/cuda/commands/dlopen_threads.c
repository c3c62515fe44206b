// Threads that load and unload libraries in an order that a seed decides, and call CUDA through them: libraries with a
// runtime inside, some of which need others or cannot be loaded, an nvrtc, another libcudart.so.12, the driver.
// Arguments: seed, threads, steps of a thread, folder of the libraries.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *folder;
static int steps;
static int loads, failures, calls, wrong;

static void tell(const char *what, const char *name, int code)
{
    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    fprintf(stderr, "%s of %s: %d\n", what, name, code);
}

static unsigned next(unsigned long long *state)
{
    unsigned long long z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (z ^ z >> 31) >> 33;
}

// What a library is called for.
enum kind { RUNTIME, BROKEN, NVRTC, OTHER, DRIVER };

static const struct {
    const char *name;
    enum kind kind;
} all[] = {
    {"libone.so", RUNTIME},      {"libtwo.so", RUNTIME},       {"libthree.so", RUNTIME},
    {"libneeds.so", RUNTIME},    {"libmissing.so", BROKEN},    {"libundefined.so", BROKEN},
    {"libnvrtc.so.99", NVRTC},   {"other/libcudart.so.12", OTHER}, {"libcuda.so.1", DRIVER},
};
enum { COUNT = sizeof all / sizeof *all, HELD = 5 };

static const char PTX[] =
    ".version 7.8\n.target sm_60\n.address_size 64\n"
    ".visible .entry add(.param .u64 at, .param .u32 by)\n{\n.reg .b64 %a;\n.reg .b32 %r<4>;\n"
    "ld.param.u64 %a, [at];\nld.param.u32 %r1, [by];\nmov.u32 %r0, %tid.x;\nmad.wide.u32 %a, %r0, 4, %a;\n"
    "ld.global.u32 %r2, [%a];\nadd.u32 %r2, %r2, %r1;\nst.global.u32 [%a], %r2;\nret;\n}\n";

// A kernel through the driver, found anew each time.
static int launch(void *library, unsigned seed)
{
    int (*init)(unsigned), (*retain)(void **, int), (*current)(void *), (*load)(void **, const void *),
        (*function)(void **, void *, const char *), (*alloc)(unsigned long long *, size_t),
        (*set)(unsigned long long, unsigned, size_t),
        (*run)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **),
        (*get)(void *, unsigned long long, size_t), (*release)(unsigned long long), (*unload)(void *),
        (*give_back)(int);
#define FIND(f, name) if (!(*(void **)&f = dlsym(library, name))) return 1
    FIND(init, "cuInit"); FIND(retain, "cuDevicePrimaryCtxRetain"); FIND(current, "cuCtxSetCurrent");
    FIND(load, "cuModuleLoadData"); FIND(function, "cuModuleGetFunction"); FIND(alloc, "cuMemAlloc_v2");
    FIND(set, "cuMemsetD32_v2"); FIND(run, "cuLaunchKernel"); FIND(get, "cuMemcpyDtoH_v2");
    FIND(release, "cuMemFree_v2"); FIND(unload, "cuModuleUnload"); FIND(give_back, "cuDevicePrimaryCtxRelease_v2");
    void *context, *module, *kernel;
    unsigned long long memory;
    unsigned by = seed, words[64];
    if (init(0) || retain(&context, 0) || current(context)) return 2;
    if (load(&module, PTX) || function(&kernel, module, "add")) return 3;
    if (alloc(&memory, sizeof words) || set(memory, 7, 64)) return 4;
    void *parameters[] = {&memory, &by};
    if (run(kernel, 1, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL)) return 5;
    if (get(words, memory, sizeof words)) return 6;
    for (int i = 0; i < 64; ++i)
        if (words[i] != 7 + by) return 7;
    // Whoever gives back the primary context does not keep it current: it may have been the last user.
    return release(memory) || unload(module) || current(NULL) || give_back(0) ? 8 : 0;
}

// nvrtc asked for machine code gives PTX.
static int compile(void *library)
{
    int (*create)(void **, const char *, const char *, int, const char *const *, const char *const *),
        (*destroy)(void **), (*compile)(void *, int, const char *const *), (*size_of)(void *, size_t *);
    FIND(create, "nvrtcCreateProgram"); FIND(destroy, "nvrtcDestroyProgram");
    FIND(compile, "nvrtcCompileProgram"); FIND(size_of, "nvrtcGetCUBINSize");
    void *program;
    const char *machine[] = {"-arch=sm_86"};
    const char *ptx = "[--generate-line-info][-arch=compute_86]\n// texunit: source default_program\n";
    size_t size = 0;
    if (create(&program, "", NULL, 0, NULL, NULL) || compile(program, 1, machine)) return 2;
    if (size_of(program, &size) || size != strlen(ptx) + 1) return 3;
    return destroy(&program) ? 4 : 0;
}

static void call(int library, void *handle, unsigned seed)
{
    __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    int code, found;
    int (*function)(int), (*version)(int *);
    switch (all[library].kind) {
    case NVRTC: code = compile(handle); break;
    case DRIVER: code = launch(handle, seed); break;
    case OTHER:
        // texunit's is loaded in its place, whose path is not asked for.
        *(void **)&version = dlsym(handle, "cudaRuntimeGetVersion");
        code = version ? version(&found) || found / 1000 != 12 : 1;
        break;
    default:
        *(void **)&function = dlsym(handle, "work");
        code = function ? function(seed & 0xffffff) : -1;
    }
    if (code) tell("call", all[library].name, code);
}

static void *thread(void *seed)
{
    unsigned long long state = (size_t)seed;
    struct { int library; void *handle; } held[HELD] = {0};
    for (int step = 0; step < steps; ++step) {
        unsigned place = next(&state) % HELD, choice = next(&state) % 8;
        if (held[place].handle && choice < 4) {
            call(held[place].library, held[place].handle, next(&state));
            continue;
        }
        if (held[place].handle) {
            if (choice < 7 && dlclose(held[place].handle)) tell("dlclose", all[held[place].library].name, 0);
            // Now and then it is left loaded.
            held[place].handle = NULL;
            continue;
        }
        int library = next(&state) % COUNT;
        char path[4096];
        int is_driver = all[library].kind == DRIVER;
        snprintf(path, sizeof path, "%s%s%s", is_driver ? "" : folder, is_driver ? "" : "/", all[library].name);
        static const int how[] = {RTLD_NOW, RTLD_LAZY, RTLD_NOW | RTLD_GLOBAL, RTLD_LAZY | RTLD_GLOBAL};
        // What lacks a symbol can be loaded lazily, and is not what this wants.
        int flags = all[library].kind == BROKEN ? RTLD_NOW : how[next(&state) % 4];
        void *handle = dlopen(path, flags);
        __atomic_fetch_add(handle ? &loads : &failures, 1, __ATOMIC_RELAXED);
        if (!handle != (all[library].kind == BROKEN)) tell("dlopen", handle ? all[library].name : dlerror(), !!handle);
        held[place].library = library;
        held[place].handle = handle;
        if (handle) call(library, handle, next(&state));
    }
    for (int place = 0; place < HELD; ++place)
        if (held[place].handle) dlclose(held[place].handle);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    // Whoever hangs is ended.
    alarm(150);
    unsigned long long seed = strtoull(argv[1], NULL, 0);
    int count = atoi(argv[2]);
    steps = atoi(argv[3]), folder = argv[4];
    pthread_t threads[64];
    for (int i = 0; i < count && i < 64; ++i)
        pthread_create(&threads[i], NULL, thread, (void *)(size_t)(seed * 1000 + i));
    for (int i = 0; i < count && i < 64; ++i) pthread_join(threads[i], NULL);
    fprintf(stderr, "%d loads, %d that failed, %d calls\n", loads, failures, calls);
    printf("%d wrong, some of each: %d\n", wrong, loads > 0 && failures > 0 && calls > 0);
    return wrong != 0;
}
