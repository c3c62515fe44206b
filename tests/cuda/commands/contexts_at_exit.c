// Whether a context of the driver is current in functions of atexit, which are asked for before and after it is made.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *library, *context, *stream;
static unsigned long long memory;
#define CALL(name) ((int (*)())dlsym(library, #name))

static void make(void)
{
    CALL(cuStreamCreate)(&stream, 0);
    CALL(cuMemAlloc_v2)(&memory, (size_t)64);
}

static void bye(void)
{
    void *current = NULL, *popped = NULL;
    int asked = CALL(cuCtxGetCurrent)(&current);
    int destroyed = CALL(cuStreamDestroy_v2)(stream), freed = CALL(cuMemFree_v2)(memory);
    printf("%d %d, %d %d\n", asked, current == context, destroyed, freed);
    // The stack of contexts is as it was left: the same twice.
    CALL(cuCtxPopCurrent_v2)(&popped);
    CALL(cuCtxGetCurrent)(&current);
    printf("%d %d\n", popped == context, current == context);
    CALL(cuCtxPushCurrent_v2)(context);
    make();
}

static void last(void)
{
    printf("%d %d\n", CALL(cuStreamDestroy_v2)(stream), CALL(cuMemFree_v2)(memory));
}

int main(void)
{
    int device;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    atexit(last);
    atexit(bye);
    CALL(cuInit)(0);
    CALL(cuDeviceGet)(&device, 0);
    CALL(cuCtxCreate_v2)(&context, 0, device);
    CALL(cuCtxPushCurrent_v2)(context);
    make();
    atexit(bye);
    return 0;
}
