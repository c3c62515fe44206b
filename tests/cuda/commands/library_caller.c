/* Loads libraries; calls those that a + stands before, three times, and does not care whether they fail. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        const int is_called = names[i][0] == '+';
        void *library = dlopen(names[i] + is_called, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            printf("%s\n", dlerror());
            return 1;
        }
        int (*computed)(int *) = (int (*)(int *))dlsym(library, "computed");
        int result = 0;
        for (int call = 0; is_called && call < 3; call++)
            printf("%s %d\n", computed(&result) ? "an error" : "success", result);
    }
    return 0;
}
