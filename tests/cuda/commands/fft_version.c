// Which cuFFT a program gets: the one that it is linked with, and the one that it loads by a path.
#include <dlfcn.h>
#include <stdio.h>

extern int cufftGetVersion(int *version);

int main(int argc, char **argv)
{
    int version = 0;
    cufftGetVersion(&version);
    printf("%d", version);
    if (argc > 1) {
        void *library = dlopen(argv[1], RTLD_NOW);
        int (*get)(int *) = library ? (int (*)(int *))dlsym(library, "cufftGetVersion") : NULL;
        version = 0;
        if (get)
            get(&version);
        printf(" %d", version);
    }
    // The driver is loaded, and tells what was.
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
    printf(" %d\n", init ? init(0) : -1);
    return 0;
}
