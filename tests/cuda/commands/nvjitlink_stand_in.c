// What stands in for nvJitLink in the tests of `texunit run`: a library with its names, whose machine code is the words
// "machine code", and which refuses an input with the word `wrong`. With -lto -ptx, the PTX is what was given as LTO code.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int inputs, complete, ptx; char lto[4096]; } *nvJitLinkHandle;

int nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count, const char **options)
{
    if (!count || strncmp(options[0], "-arch=", 6)) return 2;
    *handle = calloc(1, sizeof **handle);
    int lto = 0, ptx = 0;
    for (uint32_t i = 1; i < count; ++i) lto |= !strcmp(options[i], "-lto"), ptx |= !strcmp(options[i], "-ptx");
    return ptx && !lto ? 1 : ((*handle)->ptx = ptx, 0);
}

int nvJitLinkDestroy(nvJitLinkHandle *handle) { return free(*handle), *handle = NULL, 0; }

int nvJitLinkAddData(nvJitLinkHandle handle, int kind, const void *data, size_t size, const char *name)
{
    (void)name;
    if (handle->ptx && kind != 3) return 3; // -ptx requires that all inputs have LTO code.
    if (kind == 1 && size && *(const char *)data == '.') return 12; // PTX is no machine code.
    if (kind == 3) memcpy(handle->lto, data, size);
    for (size_t i = 0; i + 5 <= size; ++i) if (!memcmp((const char *)data + i, "wrong", 5)) return 4;
    return ++handle->inputs, 0;
}

int nvJitLinkAddFile(nvJitLinkHandle handle, int kind, const char *name) { return (void)kind, (void)name, ++handle->inputs, 0; }
int nvJitLinkComplete(nvJitLinkHandle handle) { return handle->inputs ? handle->complete = 1, 0 : 3; }

int nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *size)
{
    return handle->complete && !handle->ptx ? *size = sizeof "machine code", 0 : 6;
}

int nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *code) { return handle->complete && !handle->ptx ? strcpy(code, "machine code"), 0 : 6; }
int nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t *size) { return handle->ptx ? *size = strlen(handle->lto) + 1, 0 : 6; }
int nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char *ptx) { return handle->ptx ? strcpy(ptx, handle->lto), 0 : 6; }
int nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t *size) { return (void)handle, *size = 4, 0; }

// As a program calls them that is compiled with the header of a release.
int __nvJitLinkCreate_12_9(nvJitLinkHandle *h, uint32_t n, const char **o) { return nvJitLinkCreate(h, n, o); }
int __nvJitLinkDestroy_12_9(nvJitLinkHandle *h) { return nvJitLinkDestroy(h); }
int __nvJitLinkAddData_12_9(nvJitLinkHandle h, int k, const void *d, size_t s, const char *n)
{
    return nvJitLinkAddData(h, k, d, s, n);
}
int __nvJitLinkAddFile_12_9(nvJitLinkHandle h, int k, const char *n) { return nvJitLinkAddFile(h, k, n); }
int __nvJitLinkComplete_12_9(nvJitLinkHandle h) { return nvJitLinkComplete(h); }
int __nvJitLinkGetLinkedCubinSize_12_9(nvJitLinkHandle h, size_t *s) { return nvJitLinkGetLinkedCubinSize(h, s); }
int __nvJitLinkGetLinkedCubin_12_9(nvJitLinkHandle h, void *c) { return nvJitLinkGetLinkedCubin(h, c); }
