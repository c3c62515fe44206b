// A program that compiles with nvrtc, by calls of the library that it is linked with, or (argument: a library) by
// functions that it looks up.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *nvrtcProgram;
int nvrtcCreateProgram(nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);
int nvrtcDestroyProgram(nvrtcProgram *);
int nvrtcCompileProgram(nvrtcProgram, int, const char *const *);
int nvrtcGetPTXSize(nvrtcProgram, size_t *);
int nvrtcGetPTX(nvrtcProgram, char *);
int nvrtcGetCUBINSize(nvrtcProgram, size_t *);
int nvrtcGetCUBIN(nvrtcProgram, char *);
int nvrtcGetSupportedArchs(int *);

static struct {
    int (*create)(nvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *);
    int (*destroy)(nvrtcProgram *);
    int (*compile)(nvrtcProgram, int, const char *const *);
    int (*ptx_size)(nvrtcProgram, size_t *);
    int (*ptx)(nvrtcProgram, char *);
    int (*code_size)(nvrtcProgram, size_t *);
    int (*code)(nvrtcProgram, char *);
    int (*archs)(int *);
} nvrtc;

// Calls, not addresses: those go through the table of calls that the dynamic linker fills.
static int create(nvrtcProgram *p, const char *s, const char *n, int c, const char *const *h, const char *const *i)
{
    return nvrtcCreateProgram(p, s, n, c, h, i);
}
static int destroy(nvrtcProgram *p) { return nvrtcDestroyProgram(p); }
static int compile(nvrtcProgram p, int n, const char *const *o) { return nvrtcCompileProgram(p, n, o); }
static int ptx_size(nvrtcProgram p, size_t *s) { return nvrtcGetPTXSize(p, s); }
static int ptx(nvrtcProgram p, char *t) { return nvrtcGetPTX(p, t); }
static int code_size(nvrtcProgram p, size_t *s) { return nvrtcGetCUBINSize(p, s); }
static int code(nvrtcProgram p, char *t) { return nvrtcGetCUBIN(p, t); }
static int archs(int *a) { return nvrtcGetSupportedArchs(a); }

static void show(nvrtcProgram program, int count, const char *const *options)
{
    int error = nvrtc.compile(program, count, options);
    size_t size = 77;
    char text[4096] = "";
    printf("compile %d", error);
    error = nvrtc.code_size(program, &size);
    printf("; code %d %zu", error, size);
    if (size && size < sizeof text && !nvrtc.code(program, text)) printf(" %s", text);
    nvrtc.ptx_size(program, &size);
    nvrtc.ptx(program, text);
    printf("; ptx %zu %s\n", size, text);
}

static void *many(void *unused)
{
    for (int i = 0; i < 2000; ++i) {
        nvrtcProgram program;
        const char *machine[] = {"-arch=sm_86"}, *other[] = {"-arch=compute_86"};
        size_t size = 0;
        nvrtc.create(&program, "", NULL, 0, NULL, NULL);
        nvrtc.compile(program, 1, i % 2 ? machine : other);
        nvrtc.code_size(program, &size);
        if ((size != 0) != i % 2) puts("another program's code"), exit(3);
        nvrtc.destroy(&program);
    }
    return unused;
}

#define SHOW(...) do { const char *o[] = {__VA_ARGS__}; show(program, sizeof o / sizeof *o, o); } while (0)

int main(int argc, char **argv)
{
    nvrtc.create = create, nvrtc.destroy = destroy, nvrtc.compile = compile, nvrtc.ptx_size = ptx_size;
    nvrtc.ptx = ptx, nvrtc.code_size = code_size, nvrtc.code = code, nvrtc.archs = archs;
    void *library = NULL;
    if (argc > 1) {
        library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) return puts(dlerror()), 2;
#define FIND(member, name) *(void **)&nvrtc.member = dlsym(library, name)
        FIND(create, "nvrtcCreateProgram"), FIND(destroy, "nvrtcDestroyProgram");
        FIND(compile, "nvrtcCompileProgram"), FIND(archs, "nvrtcGetSupportedArchs");
        FIND(ptx_size, "nvrtcGetPTXSize"), FIND(ptx, "nvrtcGetPTX");
        FIND(code_size, "nvrtcGetCUBINSize"), FIND(code, "nvrtcGetCUBIN");
    }
    nvrtcProgram program;
    const char *header = "int y;", *include = "k.h";
    nvrtc.create(&program, "int x;\n", "k.cu", 1, &header, &include);
    show(program, 0, NULL);
    SHOW("-arch=sm_86", "-G");
    SHOW("--gpu-architecture", "sm_90a");
    SHOW("--gpu-architecture=compute_75");
    SHOW("-arch=sm_86", "--wrong");
    SHOW("-dlto", "-arch=sm_86");
    show(program, 1, NULL);
    nvrtc.destroy(&program);
    int arch = 0;
    nvrtc.archs(&arch);
    printf("archs %d\n", arch);
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, many, NULL);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    // Again, after it was unloaded.
    for (int i = 0; library && i < 20; ++i) {
        dlclose(library);
        library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        FIND(create, "nvrtcCreateProgram"), FIND(destroy, "nvrtcDestroyProgram");
        FIND(compile, "nvrtcCompileProgram"), FIND(code_size, "nvrtcGetCUBINSize");
        size_t size = 0;
        const char *machine[] = {"-arch=sm_86"};
        nvrtc.create(&program, "", NULL, 0, NULL, NULL);
        nvrtc.compile(program, 1, machine);
        nvrtc.code_size(program, &size);
        nvrtc.destroy(&program);
        const char *all = "[--generate-line-info][-arch=compute_86]\n// texunit: source default_program\n";
        if (size != strlen(all) + 1) return printf("%zu bytes after dlopen %d\n", size, i), 4;
    }
    return 0;
}
