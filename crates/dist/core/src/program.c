/*
 * The program `texunit` of the archive and the wheel, and with SHIM, the name of a program of NVIDIA's, the one that stands for that:
 * it loads the core, in which all of it is. The core is not named as needed:
 * then the dynamic linker would say what is wrong with a program that was copied without its libraries, and not we.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* What `texunit run` ends with, as env(1), if it cannot do its work. */
#define CANNOT_RUN 125

int main(void)
{
    /* In the folders of this file's RUNPATH, lib beside this one's and this one. */
    void *core = dlopen(CORE, RTLD_NOW);
    const char *folder = getenv("TEXUNIT_LIBS");
    if (!core && folder && *folder) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s", folder, CORE) < (int)sizeof path)
            core = dlopen(path, RTLD_NOW);
    }
    if (!core) {
        fprintf(stderr,
                "error: %s\n"
                "texunit needs libcuda.so.1 and the other libraries that come with it in texunit's wheel and its archive: in the "
                "folder lib above the program's, or in the one that TEXUNIT_LIBS says\n",
                dlerror());
        return CANNOT_RUN;
    }
#ifdef SHIM
    int (*program)(const char *) = (int (*)(const char *))dlsym(core, "texunit_core_shim");
    if (program)
        return program(SHIM);
#else
    int (*program)(void) = (int (*)(void))dlsym(core, "texunit_core_main");
    if (program)
        return program();
#endif
    fprintf(stderr, "error: %s\n", dlerror());
    return CANNOT_RUN;
}
