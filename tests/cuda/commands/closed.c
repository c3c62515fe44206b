// A program closes the driver library: what it does at the end of the process has to be there then.
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
    if (!init || init(0)) return 2;
    dlclose(driver);
    puts(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD) ? "loaded" : "unloaded");
    return 0;
}
