// A program that loads libraries, one of which has variables called as all that texunit's libraries export (scope.rs): they are its
// own, whatever is loaded. With RUNTIME it is linked with the runtime, and calls it. C and C++.
// Arguments: the library.
#include <dlfcn.h>
#include <stdio.h>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#else
int cudaMemGetInfo(unsigned long *, unsigned long *);
#endif

typedef int (*Function)(unsigned);

static int others(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    Function function = library ? (Function)dlsym(library, "others") : NULL;
    if (!function) puts(dlerror());
    return function ? function(0) : -1;
}

int main(int argc, char **argv)
{
    (void)argc;
#ifdef RUNTIME
    unsigned long all = 0, there = 0;
    int code = cudaMemGetInfo(&there, &all);
    printf("runtime: %d %d\n", code, all > 0);
#endif
    printf("of others: %d\n", others(argv[1]));
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    Function init = driver ? (Function)dlsym(driver, "cuInit") : NULL;
    printf("driver: %d\n", init ? init(0) : -1);
    printf("of others: %d\n", others(argv[1]));
    return 0;
}
