// A program that links with nvJitLink, by calls of functions with a version (as the header makes them), or (argument: a
// library) by functions that it looks up, and runs what it gets on the driver.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "run_image.h"

typedef void *nvJitLinkHandle;
int __nvJitLinkCreate_12_9(nvJitLinkHandle *, uint32_t, const char **);
int __nvJitLinkDestroy_12_9(nvJitLinkHandle *);
int __nvJitLinkAddData_12_9(nvJitLinkHandle, int, const void *, size_t, const char *);
int __nvJitLinkAddFile_12_9(nvJitLinkHandle, int, const char *);
int __nvJitLinkComplete_12_9(nvJitLinkHandle);
int __nvJitLinkGetLinkedCubinSize_12_9(nvJitLinkHandle, size_t *);
int __nvJitLinkGetLinkedCubin_12_9(nvJitLinkHandle, void *);

static struct {
    int (*create)(nvJitLinkHandle *, uint32_t, const char **);
    int (*destroy)(nvJitLinkHandle *);
    int (*data)(nvJitLinkHandle, int, const void *, size_t, const char *);
    int (*file)(nvJitLinkHandle, int, const char *);
    int (*complete)(nvJitLinkHandle);
    int (*size)(nvJitLinkHandle, size_t *);
    int (*code)(nvJitLinkHandle, void *);
} link;

// Calls, not addresses: those go through the table of calls that the dynamic linker fills.
static int create(nvJitLinkHandle *h, uint32_t n, const char **o) { return __nvJitLinkCreate_12_9(h, n, o); }
static int destroy(nvJitLinkHandle *h) { return __nvJitLinkDestroy_12_9(h); }
static int data(nvJitLinkHandle h, int k, const void *d, size_t s, const char *n) { return __nvJitLinkAddData_12_9(h, k, d, s, n); }
static int file(nvJitLinkHandle h, int k, const char *n) { return __nvJitLinkAddFile_12_9(h, k, n); }
static int complete(nvJitLinkHandle h) { return __nvJitLinkComplete_12_9(h); }
static int size(nvJitLinkHandle h, size_t *s) { return __nvJitLinkGetLinkedCubinSize_12_9(h, s); }
static int code(nvJitLinkHandle h, void *c) { return __nvJitLinkGetLinkedCubin_12_9(h, c); }

#define HEAD ".version 7.1\n.target sm_75\n.address_size 64\n"
static const char CALLER[] = HEAD ".extern .func (.param .u32 r) seven ();\n"
    ".visible .entry store(.param .u64 p) { .reg .u64 %a; .reg .u32 %r; .param .u32 r;\n"
    "ld.param.u64 %a, [p]; call (r), seven, (); ld.param.u32 %r, [r]; st.global.u32 [%a], %r; ret; }\n";
static const char CALLED[] = HEAD ".visible .func (.param .u32 r) seven () { st.param.u32 [r], 7; ret; }\n";

static const char *ARCH[] = {"-arch=sm_75", "-lineinfo"}, *LTO[] = {"-arch=sm_75", "-lto", "-O3"};
enum { CUBIN = 1, PTX, LTOIR, ANY = 10 };

static nvJitLinkHandle begun(void)
{
    nvJitLinkHandle handle = NULL;
    if (link.create(&handle, 2, ARCH)) puts("nothing is created"), exit(2);
    return handle;
}

static nvJitLinkHandle begun_lto(void)
{
    nvJitLinkHandle handle = NULL;
    if (link.create(&handle, 3, LTO)) puts("nothing is created"), exit(2);
    return handle;
}

// Completes, shows whether the result is text, and runs it.
static void finish(const char *what, nvJitLinkHandle handle)
{
    size_t bytes = 77;
    char *image = calloc(1, 1 << 16);
    printf("%s: complete %d", what, link.complete(handle));
    int error = link.size(handle, &bytes);
    printf("; size %d", error);
    if (!error) {
        error = link.code(handle, image);
        printf("; code %d, %s, runs %u", error, strlen(image) + 1 == bytes ? "with its end" : image, run(image));
    }
    puts("");
    link.destroy(&handle);
    free(image);
}

static void *many(void *unused)
{
    for (int i = 0; i < 500; ++i) {
        nvJitLinkHandle handle = begun();
        size_t bytes = 0;
        i % 2 ? link.data(handle, CUBIN, CALLED, sizeof CALLED, "called.cubin") : link.data(handle, CUBIN, "ELF", 3, "elf.cubin");
        link.complete(handle);
        link.size(handle, &bytes);
        if ((bytes == sizeof "machine code") == i % 2) puts("another handle's code"), exit(3);
        link.destroy(&handle);
    }
    return unused;
}

int main(int argc, char **argv)
{
    link.create = create, link.destroy = destroy, link.data = data, link.file = file, link.complete = complete;
    link.size = size, link.code = code;
    void *library = NULL;
    if (argc > 2) {
        library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
        if (!library) return puts(dlerror()), 2;
#define FIND(member, name) *(void **)&link.member = dlsym(library, name)
        FIND(create, "nvJitLinkCreate"), FIND(destroy, "nvJitLinkDestroy"), FIND(data, "nvJitLinkAddData");
        FIND(file, "nvJitLinkAddFile"), FIND(complete, "nvJitLinkComplete");
        FIND(size, "nvJitLinkGetLinkedCubinSize"), FIND(code, "nvJitLinkGetLinkedCubin");
    }
    nvJitLinkHandle handle = NULL;
    printf("create without -arch %d\n", link.create(&handle, 0, NULL));
    finish("nothing", begun());
    handle = begun();
    link.data(handle, CUBIN, CALLER, sizeof CALLER, "caller.cubin");
    link.data(handle, ANY, CALLED, sizeof CALLED - 1, NULL);
    finish("two texts", handle);
    FILE *written = fopen(argv[1], "w");
    fputs(CALLED, written), fclose(written);
    handle = begun();
    link.file(handle, PTX, argv[1]);
    link.data(handle, PTX, CALLER, sizeof CALLER, "caller.ptx");
    finish("a file", handle);
    handle = begun();
    printf("add %d\n", link.data(handle, PTX, "wrong", 5, "wrong.ptx"));
    link.data(handle, LTOIR, "LTO", 3, "a.ltoir");
    link.data(handle, PTX, CALLED, sizeof CALLED, "called.ptx");
    finish("LTO without its option", handle);
    handle = begun_lto();
    link.data(handle, LTOIR, CALLER, sizeof CALLER, "caller.ltoir");
    link.data(handle, PTX, CALLED, sizeof CALLED, "called.ptx");
    finish("LTO", handle);
    handle = begun_lto();
    link.data(handle, PTX, CALLER, sizeof CALLER, "caller.ptx");
    link.data(handle, PTX, CALLED, sizeof CALLED, "called.ptx");
    finish("LTO of PTX", handle);
    handle = begun();
    link.data(handle, PTX, CALLED, sizeof CALLED, "one.ptx");
    link.data(handle, PTX, CALLED, sizeof CALLED, "two.ptx");
    finish("twice", handle);
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, many, NULL);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    return 0;
}
